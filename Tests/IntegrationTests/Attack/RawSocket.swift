import Foundation

/// The system calls of `RawPeer`, in words.
enum RawSocket {
  struct Failure: Error { let step: String }

  #if canImport(Glibc)
    static let streamType = Int32(SOCK_STREAM.rawValue)
    static let bothWays = Int32(SHUT_RDWR)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #else
    static let streamType = SOCK_STREAM
    static let bothWays = SHUT_RDWR
    private static let sendFlags: Int32 = 0
  #endif

  /// Listens on a free port of 127.0.0.1, and gives its number.
  static func listen(_ listener: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && Foundation.listen(listener, 128) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isListening else { throw Failure(step: "listen: \(errno)") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Connects to a port of 127.0.0.1; nil if no server listens.
  static func connect(to port: UInt16) -> Int32? {
    let one = socket(AF_INET, streamType, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Foundation.connect(one, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(one)
      return nil
    }
    return one
  }

  /// Makes each send a separate packet.
  static func sendAtOnce(_ one: Int32) {
    var yes: Int32 = 1
    setsockopt(
      one, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Has the close of the socket be a RST.
  static func resetAtClose(_ one: Int32) {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(one, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  /// Whether all went out.
  static func sendAll(_ one: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(one, $0.baseAddress, $0.count, sendFlags) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The next bytes; nil at the end.
  static func receive(_ one: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = recv(one, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(buffer[..<count]) : nil
    }
  }
}

/// Reads requests off a connection, as far as a test's client sends them.
struct RawRequestReader {
  private let one: Int32
  private let readsBodies: Bool
  private var buffer: [UInt8] = []

  init(_ one: Int32, readsBodies: Bool) {
    self.one = one
    self.readsBodies = readsBodies
  }

  /// The next request's method, target and body; nil at the end.
  mutating func next() -> (method: String, target: String, body: String)? {
    let blankLine: [UInt8] = [13, 10, 13, 10]
    guard let end = find(blankLine) else { return nil }
    let head = String(decoding: buffer[..<end], as: UTF8.self)
    buffer.removeSubrange(..<(end + 4))
    let lines = head.components(separatedBy: "\r\n")
    let words = (lines.first ?? "").components(separatedBy: " ")
    guard words.count == 3 else { return nil }
    var body = ""
    for line in lines where readsBodies {
      let line = line.lowercased()
      if line.hasPrefix("content-length:") {
        let count = Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
        guard fill(count) else { return nil }
        body = String(decoding: buffer[..<count], as: UTF8.self)
        buffer.removeSubrange(..<count)
      } else if line.hasPrefix("transfer-encoding: chunked") {
        // Only empty ones are sent here: "0", and two line ends.
        guard fill(5) else { return nil }
        buffer.removeSubrange(..<5)
      }
    }
    return (words[0], words[1], body)
  }

  /// Reads and discards bytes until the client closes.
  mutating func drain() {
    while RawSocket.receive(one) != nil {}
  }

  private mutating func find(_ pattern: [UInt8]) -> Int? {
    while true {
      if let range = buffer.firstRange(of: pattern) { return range.lowerBound }
      guard let more = RawSocket.receive(one) else { return nil }
      buffer += more
    }
  }

  private mutating func fill(_ count: Int) -> Bool {
    while buffer.count < count {
      guard let more = RawSocket.receive(one) else { return false }
      buffer += more
    }
    return true
  }
}
