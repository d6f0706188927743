import Foundation
import RESTKit
import Streams

/// The descriptor of a socket or a pipe, which is closed with the last reference at the latest.
final class SocketDescriptor: Sendable {
  let number: Int32
  // After closing, the system may give the number to something else.
  private let isClosed = Lock(false)

  private init(adopting number: Int32) {
    self.number = number
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  deinit { end() }

  /// Closes the descriptor, which must not be used after that.
  func end() {
    isClosed.withLock { isClosed in
      if !isClosed { close(number) }
      isClosed = true
    }
  }

  /// Returns a socket that listens on 127.0.0.1, and its port.
  static func listening(
    onPort port: UInt16
  ) throws(SignInError) -> (socket: SocketDescriptor, port: UInt16) {
    let number = socket(AF_INET, streamType, 0)
    guard number >= 0 else { throw fault("socket") }
    let listener = SocketDescriptor(adopting: number)
    var isReusable: Int32 = 1
    setsockopt(
      number, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(number, pointer, length) == 0 && listen(number, 16) == 0
          && getsockname(number, pointer, &length) == 0
      }
    }
    guard isBound else { throw fault("bind to 127.0.0.1:\(port)") }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  /// Returns a pipe, for which a byte written to one end wakes a thread that waits for the other
  /// end.
  static func pipe() throws(SignInError) -> (reader: SocketDescriptor, writer: SocketDescriptor) {
    var numbers: [Int32] = [-1, -1]
    guard Foundation.pipe(&numbers) == 0 else { throw fault("pipe") }
    return (SocketDescriptor(adopting: numbers[0]), SocketDescriptor(adopting: numbers[1]))
  }

  /// Returns the next connection, or nil if there is none or the system has no free descriptor.
  func accept() -> SocketDescriptor? {
    let number = Foundation.accept(self.number, nil, nil)
    guard number >= 0 else {
      // The connection stays in the queue, so only a pause keeps the caller from spinning.
      if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
        _ = poll(nil, 0, 10)
      }
      return nil
    }
    let peer = SocketDescriptor(adopting: number)
    #if canImport(Darwin)
      var isSilent: Int32 = 1
      setsockopt(
        number, SOL_SOCKET, SO_NOSIGPIPE, &isSilent, socklen_t(MemoryLayout<Int32>.size))
    #endif
    return peer
  }

  /// Reads the bytes that have arrived.
  ///
  /// - Returns: The bytes, an empty array if none have arrived, or nil if the peer is gone.
  func receive(atMost count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    let received = recv(number, &buffer, count, 0)
    if received > 0 { return Array(buffer[..<received]) }
    let isAlive = received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    return isAlive ? [] : nil
  }

  /// Sends a short, final message, which fits into the system's buffer.
  func sendLast(_ message: [UInt8]) {
    _ = send(number, message, message.count, sendFlags)
    _ = shutdown(number, Int32(SHUT_WR))
  }

  /// Wakes a thread that waits for the other end of a pipe.
  func wake() {
    var byte: UInt8 = 0
    _ = write(number, &byte, 1)
  }

  /// Waits until at least one of several descriptors is readable or has ended.
  ///
  /// - Returns: For each descriptor, whether it is readable or has ended.
  static func wait(for descriptors: [SocketDescriptor]) -> [Bool] {
    var set = descriptors.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
    _ = poll(&set, nfds_t(set.count), -1)
    return set.map { $0.revents != 0 }
  }

  private static func fault(_ call: String) -> SignInError {
    .notListening("\(call): \(String(cString: strerror(errno)))")
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
  // A browser that left must give an error, not a signal that ends the process.
  private let sendFlags = Int32(MSG_NOSIGNAL)
#endif
