import Foundation
import Streams

/// A non-blocking TCP socket.
///
/// One thread reads, writes and closes it. Any thread may shut it down.
final class MockSocket: Sendable {
  /// The result of a read or a write without waiting.
  enum Transfer {
    case bytes(Int)
    case wouldBlock
    /// The peer is gone.
    case ended
  }

  /// The result of an accept without waiting.
  enum Acceptance {
    case socket(MockSocket)
    case wouldBlock
    /// The process has no descriptor left.
    case exhausted
  }

  /// The event that ended a wait.
  enum Waking: Equatable {
    case ready
    case latch(Int)
    case timeout
  }

  let descriptor: Int32

  // Prevents a shutdown of a descriptor number that the system has already given to another file.
  private let isClosed = Lock(false)

  private init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    #if canImport(Darwin)
      setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
    #endif
  }

  deinit {
    end()
  }

  /// Returns a socket that listens on 127.0.0.1.
  static func listening(onPort port: UInt16) throws(MockServerError) -> MockSocket {
    let descriptor = socket(AF_INET, streamType, 0)
    guard descriptor >= 0 else { throw .systemCall("socket") }
    let listener = MockSocket(adopting: descriptor)
    listener.setOption(SOL_SOCKET, SO_REUSEADDR, Int32(1))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let bound = withSocketAddress(&address) { bind(descriptor, $0, $1) }
    guard bound == 0 else { throw .systemCall("bind to 127.0.0.1:\(port)") }
    guard listen(descriptor, SOMAXCONN) == 0 else { throw .systemCall("listen") }
    return listener
  }

  /// Returns the port of the socket.
  func localPort() throws(MockServerError) -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let known = Self.withSocketAddress(&address) { pointer, _ in
      getsockname(descriptor, pointer, &length)
    }
    guard known == 0 else { throw .systemCall("getsockname") }
    return UInt16(bigEndian: address.sin_port)
  }

  func acceptOne() -> Acceptance {
    while true {
      let accepted = accept(descriptor, nil, nil)
      if accepted >= 0 {
        let socket = MockSocket(adopting: accepted)
        socket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        return .socket(socket)
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      default: return .wouldBlock
      }
    }
  }

  func receiveSome(into buffer: inout [UInt8]) -> Transfer {
    transfer { buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) } }
  }

  /// Sends as much as fits; `bytes` is not empty.
  func sendSome(_ bytes: ArraySlice<UInt8>) -> Transfer {
    transfer { bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, sendFlags) } }
  }

  /// Blocks the thread until the socket is ready for `events` or hung up, or a latch is open.
  ///
  /// If several latches are open, the first counts. `milliseconds` below 0 means no limit.
  func wait(for events: Int32, or latches: [MockLatch], milliseconds: Int32 = -1) -> Waking {
    var set = latches.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    set.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
    var count: Int32
    repeat {
      count = poll(&set, nfds_t(set.count), milliseconds)
    } while count < 0 && errno == EINTR
    if count == 0 { return .timeout }
    if let open = set.dropLast().firstIndex(where: { $0.revents != 0 }) { return .latch(open) }
    return .ready
  }

  /// Ends both directions at once, from any thread; the owner still has to close the descriptor.
  func shutDown() {
    isClosed.withLock { if !$0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  /// Ends the sending direction.
  func shutDownSending() {
    isClosed.withLock { if !$0 { _ = shutdown(descriptor, Int32(SHUT_WR)) } }
  }

  /// Makes ``end()`` reset the connection instead of closing it in order.
  func resetAtEnd() {
    setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
  }

  /// Closes the descriptor; calls after the first do nothing.
  func end() {
    isClosed.withLock { closed in
      if !closed { close(descriptor) }
      closed = true
    }
  }

  private func setOption<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
  }

  private func transfer(_ call: () -> Int) -> Transfer {
    var count: Int
    repeat {
      count = call()
    } while count < 0 && errno == EINTR
    if count > 0 { return .bytes(count) }
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? .wouldBlock : .ended
  }

  private static func withSocketAddress<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

#if canImport(Glibc)
  private let streamType = Int32(SOCK_STREAM.rawValue)
#else
  private let streamType = SOCK_STREAM
#endif

#if canImport(Darwin)
  private let sendFlags: Int32 = 0
#else
  // A client that has left must cause an error, not a signal that ends the process.
  private let sendFlags = Int32(MSG_NOSIGNAL)
#endif
