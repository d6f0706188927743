/// The rules of RFC 9112 for how a request's body is framed, and for the host that it is for.
enum MockFraming {
  /// A request that breaks a rule, and the status by which a server says so.
  struct Fault: Error {
    let reason: String
    var status = 400
  }

  /// How a body ends.
  enum Body: Equatable {
    case none
    case chunked
    case sized(Int)
  }

  /// Checks the form of a request's target (§3.2): a path, an absolute URL, the `*` of an
  /// `OPTIONS` or the authority of a `CONNECT`.
  static func checkTarget(
    _ target: ArraySlice<UInt8>, of method: ArraySlice<UInt8>
  ) throws(Fault) {
    let isOfMethod =
      target.elementsEqual("*".utf8) && method.elementsEqual("OPTIONS".utf8)
      || method.elementsEqual("CONNECT".utf8)
    guard isOfMethod || target.first == UInt8(ascii: "/") || isAbsolute(target) else {
      throw Fault(
        reason: "the target is neither a path, nor an absolute URL, nor the * of OPTIONS")
    }
  }

  /// Whether the bytes are a scheme (RFC 3986 §3.1), `://` and a host.
  private static func isAbsolute(_ target: ArraySlice<UInt8>) -> Bool {
    guard let colon = target.firstIndex(of: UInt8(ascii: ":")),
      let first = target.first, isLetter(first),
      target[..<colon].allSatisfy({ byte in
        isLetter(byte) || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
      })
    else { return false }
    let rest = target[colon...].dropFirst()
    return rest.starts(with: "//".utf8) && rest.dropFirst(2).first.map { $0 != 0x2F } == true
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// Checks the host: one in a request of HTTP/1.1, and at most one in others (§3.2).
  static func checkHost(of message: MockRequestParser.Message) throws(Fault) {
    let hosts = message.values(of: "Host")
    guard hosts.count <= 1 else { throw Fault(reason: "Host is given twice") }
    guard let host = hosts.first else {
      if message.isHTTP10 { return }
      throw Fault(reason: "Host is missing")
    }
    guard isHost(host) else { throw Fault(reason: "Host is not a host with or without a port") }
  }

  /// Returns how the body of a request ends (§6.3).
  static func body(of message: MockRequestParser.Message) throws(Fault) -> Body {
    let lengths = message.values(of: "Content-Length")
    let codings = message.values(of: "Transfer-Encoding")
    if !codings.isEmpty {
      try checkCodings(codings, isHTTP10: message.isHTTP10)
      guard lengths.isEmpty else {
        throw Fault(reason: "both Transfer-Encoding and Content-Length are given")
      }
      return .chunked
    }
    guard let text = lengths.first else { return .none }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let length = Int64(text).flatMap({ Int(exactly: $0) })
    else {
      throw Fault(reason: "Content-Length is not a number of bytes")
    }
    guard lengths.allSatisfy({ $0 == text }) else {
      throw Fault(reason: "Content-Length is given twice with different values")
    }
    return length == 0 ? .none : .sized(length)
  }

  private static func checkCodings(_ values: [String], isHTTP10: Bool) throws(Fault) {
    // §6.1: its framing counts as faulty, since an intermediary may not know the field.
    guard !isHTTP10 else { throw Fault(reason: "HTTP/1.0 has no Transfer-Encoding") }
    // Empty elements of a list do not count (RFC 9110 §5.6.1.2).
    let codings = values.joined(separator: ",").lowercased()
      .split(separator: ",").map(MockFieldSyntax.trimmed).filter { !$0.isEmpty }
    guard codings.last == "chunked" else {
      throw Fault(reason: "chunked is not the last Transfer-Encoding")
    }
    guard !codings.dropLast().contains("chunked") else {
      throw Fault(reason: "Transfer-Encoding has chunked twice")
    }
    // §6.1: only a coding that the server does not know is not the client's fault.
    guard codings.count == 1 else {
      throw Fault(reason: "a Transfer-Encoding other than chunked", status: 501)
    }
  }

  /// Returns the size of a chunk by its line, of which only extensions may be left (§7.1, §7.1.1).
  static func chunkSize(_ line: [UInt8]) throws(Fault) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
    guard let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else {
      throw Fault(reason: "a chunk size is not a hexadecimal number of bytes")
    }
    guard MockFieldSyntax.isContent(line) else {
      throw Fault(reason: "a chunk extension has a control character")
    }
    var rest = line[digits.endIndex...]
    while !rest.isEmpty {
      rest = rest.drop(while: MockFieldSyntax.isBlank)
      guard rest.first == UInt8(ascii: ";"), let end = endOfExtension(rest.dropFirst()) else {
        throw Fault(reason: "what follows a chunk size is not an extension")
      }
      rest = rest[end...]
    }
    return size
  }

  /// Returns the end of `name`, `name=value` or `name="value"`, or nil.
  private static func endOfExtension(_ bytes: ArraySlice<UInt8>) -> Int? {
    let name = bytes.drop(while: MockFieldSyntax.isBlank)
    guard let nameEnd = MockFieldSyntax.endOfToken(name) else { return nil }
    let rest = bytes[nameEnd...].drop(while: MockFieldSyntax.isBlank)
    guard rest.first == UInt8(ascii: "=") else { return nameEnd }
    let value = rest.dropFirst().drop(while: MockFieldSyntax.isBlank)
    guard value.first == UInt8(ascii: "\"") else { return MockFieldSyntax.endOfToken(value) }
    var isEscaped = false
    for index in value.indices.dropFirst() {
      if isEscaped {
        isEscaped = false
      } else if value[index] == UInt8(ascii: "\"") {
        return index + 1
      } else {
        isEscaped = value[index] == UInt8(ascii: "\\")
      }
    }
    return nil
  }

  /// Whether a text is empty, a name, an IPv4 address or an IPv6 address in brackets, with or
  /// without a port (RFC 3986 §3.2.2).
  private static func isHost(_ text: String) -> Bool {
    text.wholeMatch(
      of: /(?:\[[0-9A-Za-z:.]+\]|(?:[0-9A-Za-z\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?/)
      != nil
  }
}
