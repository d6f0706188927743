import Foundation
import Streams

/// A one-shot signal that any number of threads can wait for in `poll`, together with sockets.
///
/// It is a pipe to which nobody writes. Closing its write end makes the read end ready for ever.
final class MockLatch: Sendable {
  /// The read end, for `poll`.
  let descriptor: Int32

  private let writeEnd: Lock<Int32?>

  init() throws(MockServerError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .systemCall("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    descriptor = ends[0]
    writeEnd = Lock(ends[1])
  }

  deinit {
    open()
    close(descriptor)
  }

  func open() {
    writeEnd.withLock { end in
      if let open = end { close(open) }
      end = nil
    }
  }
}
