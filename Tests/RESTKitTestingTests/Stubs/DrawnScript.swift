import Foundation
import RESTKit
import RESTKitTesting
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request with the response that a stub gives to it, drawn by a seed.
struct DrawnScript: CustomStringConvertible {
  /// The way in which the response is scripted.
  enum Form: Sendable {
    case whole
    case pieces([StubPiece], end: BodyEnd)
    case fault(StubFault)
    case failure(any Error)
  }

  let number: Int
  var request: URLRequest
  var isInPieces = false
  var status = 200
  var headers = HTTPHeaders()
  var body = Data()
  var form = Form.whole
  var delay = Duration.zero
  var bytesPerSecond: Int?
  /// Whether the request is one that no transport sends.
  var isRefused = false
  private var generator: SeededGenerator

  init(number: Int, seed: UInt64) throws {
    self.number = number
    generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
    request = URLRequest(url: try #require(URL(string: "\(base)/draws/\(number)?n=a%20b")))
    drawRequest()
    drawHead()
    drawBody()
    drawForm()
    if chance(20) { delay = .milliseconds(int(1...3)) }
  }

  var description: String {
    let lines = headers.prefix(6).map { "\($0.name.prefix(20)): \($0.value.prefix(20))" }
    return "\(RequestSummary(request)) \(status) \(lines) "
      + "\(body.count) bytes, \(form), in pieces: \(isInPieces), delay \(delay)"
  }

  /// Whether its body has a content coding.
  var isCoded: Bool { headers.contains("Content-Encoding") }

  /// Whether its outcome is silence, until the request's time is over.
  private var isSilent: Bool {
    switch form {
    case .fault(.stall), .fault(.stallInBody), .pieces(_, end: .silence): true
    default: false
    }
  }

  /// Returns the script that continues with this response; nil where no request comes.
  func added(to script: StubAPIResponse?) -> StubAPIResponse? {
    guard !isRefused else { return script }
    let stub = StubRequest(request.method, path: "/v1/draws/\(number)").query(["n": "a b"])
    let result: Result<Data, any Error> =
      switch form {
      case .whole, .pieces: .success(body)
      case .fault(let fault): .fault(fault)
      case .failure(let error): .failure(error)
      }
    var next: StubAPIResponse
    if case .pieces(let pieces, let end) = form {
      next =
        script?.thenRespondWith(
          request: stub, statusCode: status, headers: headers, pieces: pieces, end: end,
          delay: delay)
        ?? StubAPIResponse(
          request: stub, statusCode: status, headers: headers, pieces: pieces, end: end,
          delay: delay)
    } else {
      next =
        script?.thenRespondWith(
          request: stub, statusCode: status, headers: headers, result: result, delay: delay)
        ?? StubAPIResponse(
          request: stub, statusCode: status, headers: headers, result: result, delay: delay)
    }
    if let bytesPerSecond { next = next.throttled(bytesPerSecond: bytesPerSecond) }
    return next
  }
}

// MARK: Draws

extension DrawnScript {
  private mutating func int(_ range: ClosedRange<Int>) -> Int {
    .random(in: range, using: &generator)
  }

  /// Whether an event of this many percent happens.
  private mutating func chance(_ percent: Int) -> Bool { int(1...100) <= percent }

  private mutating func one<Value>(of values: [Value]) -> Value {
    values[int(0...(values.count - 1))]
  }

  private mutating func drawRequest() {
    let method = one(of: ["GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY"])
    request.httpMethod = method
    if ["POST", "PUT", "PATCH", "QUERY"].contains(method), chance(80) {
      request.httpBody = bytes(int(0...900))
    }
    request.setValue("text/plain", forHTTPHeaderField: "Accept")
    if chance(10) { request.setValue("br, gzip", forHTTPHeaderField: "Accept-Encoding") }
    isInPieces = chance(50)
    guard chance(6) else { return }
    isRefused = true
    switch int(0...7) {
    case 0: request.setValue("evil.example", forHTTPHeaderField: "Host")
    case 1: request.setValue("3", forHTTPHeaderField: "Content-Length")
    case 2: request.setValue("x", forHTTPHeaderField: "X A")
    case 3: request.setValue("a\nb", forHTTPHeaderField: "X-A")
    case 4: request.httpMethod = "CONNECT"
    case 5: (request.httpMethod, request.httpBody) = ("HEAD", Data("x".utf8))
    case 6: request.url = URL(string: "ftp://api.example.com/draws/\(number)")
    default: request.url = URL(string: "https://user:pw@api.example.com/draws/\(number)")
    }
  }

  private mutating func drawHead() {
    status = one(of: [
      200, 200, 200, 200, 201, 204, 206, 299, 301, 304, 307, 400, 401, 404, 418, 429, 500, 503, 599,
      600, 999,
    ])
    if chance(4) { status = one(of: [-1, 0, 99, 100, 101, 102, 199, 1_000]) }
    for _ in 0..<int(0...4) {
      let name = one(of: ["X-A", "x-a", "X-Name", "Set-Cookie", "ETag", "Location"])
      let value = one(of: [
        "", "one", "a, b", " with blanks\t", "\u{E9}", "e\u{301}", "x=1; Path=/",
      ])
      headers.append(name: name, value: value)
    }
    switch int(1...200) {
    case 1: headers.append(name: "X Name", value: "blank in the name")
    case 2: headers.append(name: "X-Break", value: "a\r\nInjected: b")
    case 3, 4:
      for line in 0..<1_100 { headers.append(name: "X-\(line)", value: "") }
    case 5, 6:
      for line in 0..<8 {
        headers.append(name: "X-\(line)", value: String(repeating: "v", count: 50_000))
      }
    default: break
    }
  }

  private mutating func drawBody() {
    body = bytes(chance(85) ? int(0...900) : int(1_000...6_000))
    if chance(25) {
      let coding = one(of: [
        "gzip", "gzip", "gzip", "x-gzip", "GZIP", "identity", "gzip, gzip", "br",
        "gzip, gzip, gzip",
        "not gzip", "cut gzip", "gzip and zeros",
      ])
      let packed = Self.gzip(body)
      switch coding {
      case "gzip, gzip": body = Self.gzip(packed)
      case "cut gzip": body = packed.dropLast(int(1...min(packed.count - 1, 20)))
      case "gzip and zeros": body = packed + Data(count: 5)
      case "gzip", "x-gzip", "GZIP": body = packed
      default: break
      }
      let isNamed = coding.contains(" ") && !coding.contains(",")
      headers.append(name: "Content-Encoding", value: isNamed ? "gzip" : coding)
    }
    guard chance(35) else { return }
    switch int(0...9) {
    case 0, 1, 2: headers.append(name: "Content-Length", value: "\(body.count)")
    case 3: headers.append(name: "Content-Length", value: "\(int(0...body.count))")
    case 4: headers.append(name: "content-length", value: "\(body.count + int(1...100))")
    case 5: headers.append(name: "Content-Length", value: one(of: ["five", "-1", "+4", "1e3", ""]))
    case 6:
      for count in [body.count, body.count + 1] {
        headers.append(name: "Content-Length", value: "\(count)")
      }
    case 7: headers.append(name: "Transfer-Encoding", value: "chunked")
    case 8:
      for _ in 0..<2 { headers.append(name: "Content-Length", value: "\(body.count)") }
    default:
      headers.append(name: "Transfer-Encoding", value: "chunked")
      headers.append(name: "Content-Length", value: "\(body.count)")
    }
  }

  private mutating func drawForm() {
    switch int(1...100) {
    case 1...55: break
    case 56...83:
      let cuts = ([0, body.count] + (0..<int(0...3)).map { _ in int(0...body.count) }).sorted()
      let pieces = zip(cuts, cuts.dropFirst()).map { start, end in
        StubPiece(Data(body[start..<end]), after: .milliseconds(chance(20) ? int(1...3) : 0))
      }
      form = .pieces(pieces, end: one(of: [.complete, .complete, .complete, .cut, .reset]))
    case 84...86: bytesPerSecond = 1_000_000
    case 87...95:
      let faults = StubFault.allCases.filter { $0 != .stall && $0 != .stallInBody }
      form = .fault(one(of: faults))
    case 96, 97:
      form = .failure(
        TransportError(
          kind: one(of: [.connectionReset, .sendFailed, .timedOut]),
          mayHaveBeenProcessed: chance(50)))
    case 98: form = .failure(TestFailure())
    default:
      guard number % 8 == 0 else { break }
      form = one(of: [
        .fault(.stall), .fault(.stallInBody), .pieces([StubPiece(Data("ab".utf8))], end: .silence),
      ])
    }
    // Only silence is to meet the limit.
    request.timeoutInterval = isSilent ? 2 : 60
  }

  private mutating func bytes(_ count: Int) -> Data {
    let start = int(0...255)
    return Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ start &+ $0 >> 8) })
  }

  /// Returns a gzip file of stored blocks (RFC 1951 §3.2.4, RFC 1952).
  private static func gzip(_ data: Data) -> Data {
    var file = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    let length = UInt32(data.count)
    file += [1] + bytes(length, 2) + bytes(~length, 2) + data
    return file + bytes(checksum(data), 4) + bytes(length, 4)
  }

  private static func checksum(_ data: Data) -> UInt32 {
    ~data.reduce(~0) { value, byte in
      (0..<8).reduce(value ^ UInt32(byte)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
      }
    }
  }
}
