import Foundation

/// A parser of the requests in the bytes of one connection (RFC 9112).
///
/// It is a state machine of value type. ``append(_:)`` takes bytes, and ``next()`` returns the next
/// event. It never waits.
struct MockRequestParser {
  /// A request without its index and connection on the server.
  struct Message {
    var method = ""
    var target = ""
    var headers: [(name: String, value: String)] = []
    var body = Data()
    var isHTTP10 = false

    /// Whether the client allows the connection to stay open.
    var keepsAlive: Bool {
      let options = elements(of: "Connection")
      return !options.contains("close") && (!isHTTP10 || options.contains("keep-alive"))
    }

    func values(of name: String) -> [String] {
      headers.filter { MockFieldSyntax.isSame($0.name, name) }.map(\.value)
    }

    func elements(of name: String) -> [String] {
      values(of: name).flatMap(MockFieldSyntax.listElements)
    }
  }

  enum Event {
    /// More bytes are needed.
    case incomplete
    /// The head of a request whose body has not arrived. It is the first event of the request,
    /// once.
    case head(Message)
    /// The client waits for `100 Continue` before it sends the body. It follows the head, once.
    case awaitsContinue
    case request(Message)
    /// The bytes are not HTTP, so the parser cannot read the bytes after them.
    case malformed(MockFraming.Fault)
  }

  /// The maximum size in bytes of a request line with its fields, and of a trailer section.
  static let headLimit = 1 << 20

  /// The next part of a request.
  private enum State {
    case requestLine
    case field
    case sizedBody(remaining: Int)
    case chunkSize
    case chunkData(remaining: Int)
    case chunkEnd
    case trailer
    case malformed(Malformed)
  }

  private typealias Malformed = MockFraming.Fault

  private var state = State.requestLine
  /// Whether the event ``Event/awaitsContinue`` is still due.
  private var owesContinue = false
  /// The known part of the current request.
  private var message = Message()
  private var bytes: [UInt8] = []
  /// The index of the first unread byte.
  private var start = 0
  /// The index up to which the unread bytes were searched for the end of a line.
  private var searched = 0
  /// The size of the current head or trailer section so far.
  private var headLength = 0

  mutating func append(_ more: ArraySlice<UInt8>) {
    if start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  mutating func next() -> Event {
    do throws(Malformed) {
      while true {
        if let event = try step() { return event }
      }
    } catch {
      state = .malformed(error)
      return .malformed(error)
    }
  }

  /// Takes one part of a request, and returns nil if there may be another part at once.
  private mutating func step() throws(Malformed) -> Event? {
    if owesContinue {
      owesContinue = false
      return .awaitsContinue
    }
    switch state {
    case .requestLine:
      guard let line = try takeLine() else { return .incomplete }
      // An empty line before the request line is skipped (RFC 9112 §2.2).
      if !line.isEmpty {
        try readRequestLine(line)
        state = .field
      }

    case .field:
      guard let line = try takeLine() else { return .incomplete }
      if line.isEmpty { return try beginBody() }
      message.headers.append(try field(line))

    case .sizedBody(let remaining):
      let count = takeBody(remaining)
      guard count > 0 else { return .incomplete }
      if count == remaining { return finish() }
      state = .sizedBody(remaining: remaining - count)

    case .chunkSize:
      guard let line = try takeLine() else { return .incomplete }
      let size = try MockFraming.chunkSize(line)
      state = size == 0 ? .trailer : .chunkData(remaining: size)

    case .chunkData(let remaining):
      let count = takeBody(remaining)
      guard count > 0 else { return .incomplete }
      state = count == remaining ? .chunkEnd : .chunkData(remaining: remaining - count)

    case .chunkEnd:
      guard let line = try takeLine() else { return .incomplete }
      guard line.isEmpty else { throw Malformed(reason: "a chunk is longer than its size says") }
      headLength = 0
      state = .chunkSize

    case .trailer:
      guard let line = try takeLine() else { return .incomplete }
      if line.isEmpty { return finish() }
      _ = try field(line)

    case .malformed(let fault):
      throw fault
    }
    return nil
  }

  private mutating func finish() -> Event {
    defer { message = Message() }
    state = .requestLine
    headLength = 0
    return .request(message)
  }

  private mutating func beginBody() throws(Malformed) -> Event? {
    headLength = 0
    try MockFraming.checkHost(of: message)
    switch try MockFraming.body(of: message) {
    case .none: return finish()
    case .chunked: state = .chunkSize
    case .sized(let length): state = .sizedBody(remaining: length)
    }
    // There is no 100 for HTTP/1.0, or if the body has begun to arrive (RFC 9110 §10.1.1).
    let isAsked = message.elements(of: "Expect").contains("100-continue") && !message.isHTTP10
    owesContinue = isAsked && start == bytes.count
    return .head(message)
  }

  /// Takes bytes of the body that have arrived, at most this many, and returns their number.
  private mutating func takeBody(_ limit: Int) -> Int {
    let count = min(limit, bytes.count - start)
    message.body.append(contentsOf: bytes[start..<start + count])
    take(count)
    return count
  }

  private mutating func take(_ count: Int) {
    start += count
    searched = start
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      start = 0
      searched = 0
    }
  }

  /// Returns the next line without its CR LF, or nil if it is not complete.
  private mutating func takeLine() throws(Malformed) -> [UInt8]? {
    let feed = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
    let end = feed.map { $0 + 1 } ?? bytes.count
    guard headLength + end - start <= Self.headLimit else {
      throw Malformed(reason: "the head is longer than \(Self.headLimit) bytes")
    }
    guard let feed else {
      searched = bytes.count
      return nil
    }
    guard feed > start, bytes[feed - 1] == UInt8(ascii: "\r") else {
      throw Malformed(reason: "a line ends without CR LF")
    }
    let line = Array(bytes[start..<feed - 1])
    headLength += end - start
    take(end - start)
    return line
  }

  private mutating func readRequestLine(_ line: [UInt8]) throws(Malformed) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, MockFieldSyntax.isToken(parts[0]), !parts[1].isEmpty,
      MockFieldSyntax.isContent(parts[1]), !parts[1].contains(0x09)
    else {
      throw Malformed(reason: "the request line is not a method, a target and a version")
    }
    guard parts[2].elementsEqual("HTTP/1.1".utf8) || parts[2].elementsEqual("HTTP/1.0".utf8) else {
      throw Malformed(reason: "the version is neither HTTP/1.1 nor HTTP/1.0")
    }
    try MockFraming.checkTarget(parts[1], of: parts[0])
    message.method = text(parts[0])
    message.target = text(parts[1])
    message.isHTTP10 = parts[2].last == UInt8(ascii: "0")
  }

  private func field(_ line: [UInt8]) throws(Malformed) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      MockFieldSyntax.isToken(line[..<colon])
    else {
      throw Malformed(reason: "a field has no valid name before a colon")
    }
    let value = line[(colon + 1)...].drop(while: MockFieldSyntax.isBlank)
    let end = value.lastIndex { !MockFieldSyntax.isBlank($0) }.map { $0 + 1 } ?? value.startIndex
    guard MockFieldSyntax.isContent(value) else {
      throw Malformed(reason: "the field \(text(line[..<colon])) has a control character")
    }
    return (text(line[..<colon]), text(value[..<end]))
  }

  /// Returns the bytes as UTF-8, or as Latin-1 if they are not UTF-8; no byte is lost.
  private func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
