import Foundation
import Streams

/// A gate that holds back responses of a ``MockServer`` until a test opens it.
///
/// ```swift
/// let gate = MockGate()
/// let server = try MockServer { _ in .text("done", gate: gate) }
/// // … the client sends its request …
/// try await server.received(1)  // it is there, and not answered
/// gate.open()
/// ```
///
/// One gate may hold any number of responses. An open gate stays open.
public final class MockGate: Sendable {
  private enum State {
    case unused
    case holding(MockLatch)
    case open
  }

  private let state = Lock(State.unused)

  /// Creates a closed gate.
  public init() {}

  /// Whether ``open()`` was called.
  public var isOpen: Bool {
    state.withLock { if case .open = $0 { true } else { false } }
  }

  /// Releases every held response.
  ///
  /// Call it on any thread. Calls after the first do nothing.
  public func open() {
    let latch: MockLatch? = state.withLock { state in
      defer { state = .open }
      if case .holding(let latch) = state { return latch }
      return nil
    }
    latch?.open()
  }

  /// Returns the latch that opens with this gate, or nil if the gate is open.
  func latch() throws(MockServerError) -> MockLatch? {
    try state.withLock { (state) throws(MockServerError) in
      switch state {
      case .unused:
        let latch = try MockLatch()
        state = .holding(latch)
        return latch
      case .holding(let latch):
        return latch
      case .open:
        return nil
      }
    }
  }
}

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
