import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A TCP client that sends and shows bytes as they are.
final class RawClient {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// How the server ended the connection.
  enum Ending {
    case closed
    case reset
  }

  struct Response {
    var statusLine = ""
    var headers: [(name: String, value: String)] = []
    var body = Data()

    var text: String { String(decoding: body, as: UTF8.self) }

    func values(for name: String) -> [String] {
      headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
  }

  private let descriptor: Int32
  private var isOpen = true
  private var unread: [UInt8] = []

  init(to port: UInt16) throws {
    #if canImport(Glibc)
      let streamType = Int32(SOCK_STREAM.rawValue)
    #else
      let streamType = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, streamType, 0)
    guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
    #if canImport(Darwin)
      set(SO_NOSIGPIPE, Int32(1))
    #endif
    // A safety net only: a server that fails to answer fails the test instead of hanging it.
    set(SO_RCVTIMEO, timeval(tv_sec: 20, tv_usec: 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure(description: "connect: \(errno)") }
  }

  deinit {
    hangUp()
  }

  /// Whether bytes, or the end, can be read at this moment.
  var hasSomethingToRead: Bool {
    var byte: UInt8 = 0
    return !unread.isEmpty
      || recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
  }

  func hangUp() {
    if isOpen { close(descriptor) }
    isOpen = false
  }

  /// Closes with a reset.
  func reset() {
    set(SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    hangUp()
  }

  func shutDownSending() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  func send(_ text: String) throws {
    try send(Data(text.utf8))
  }

  func send(_ data: Data) throws {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = Array(data)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        #if canImport(Darwin)
          Darwin.send(descriptor, $0.baseAddress, $0.count, flags)
        #elseif canImport(Glibc)
          Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
        #else
          Musl.send(descriptor, $0.baseAddress, $0.count, flags)
        #endif
      }
      guard count > 0 else { throw Failure(description: "send: \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a request without a body and reads the response.
  func get(_ target: String, fields: String = "") throws -> Response {
    try send("GET \(target) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n")
    return try readResponse()
  }

  func readExactly(_ count: Int) throws -> Data {
    while unread.count < count {
      guard try receive() == nil else { throw Failure(description: "ended early: \(unread)") }
    }
    defer { unread.removeFirst(count) }
    return Data(unread.prefix(count))
  }

  /// All the bytes up to the end of the connection, and how it ended.
  func readToEnd() throws -> (text: String, ending: Ending) {
    while true {
      if let ending = try receive() {
        defer { unread = [] }
        return (String(decoding: unread, as: UTF8.self), ending)
      }
    }
  }

  /// The status line and fields; the body stays unread.
  func readHead() throws -> Response {
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      bytes += try readExactly(1)
    }
    var lines = String(decoding: bytes.dropLast(4), as: UTF8.self)
      .components(separatedBy: "\r\n")
    var response = Response(statusLine: lines.removeFirst())
    for line in lines {
      let parts = line.components(separatedBy: ": ")
      response.headers.append((parts[0], parts.dropFirst().joined(separator: ": ")))
    }
    return response
  }

  /// A response whose body has a length, or none.
  func readResponse() throws -> Response {
    var response = try readHead()
    if let length = response.values(for: "Content-Length").first.flatMap({ Int($0) }) {
      response.body = try readExactly(length)
    }
    return response
  }

  /// Appends received bytes to `unread`.
  ///
  /// Returns the kind of the connection's end, if it has ended.
  private func receive() throws -> Ending? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 {
      unread += buffer[..<count]
      return nil
    }
    if count == 0 { return .closed }
    if errno == ECONNRESET { return .reset }
    throw Failure(description: "recv: \(errno), after \(unread.count) bytes")
  }

  private func set<Value: BitwiseCopyable>(_ name: Int32, _ value: Value) {
    var value = value
    setsockopt(descriptor, SOL_SOCKET, name, &value, socklen_t(MemoryLayout<Value>.size))
  }
}
