import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Several scripts at once, and the requests that meet them, drawn by a seed.
///
/// A drawn script is one response with any outcome; a journey is about what comes after what: uses,
/// turns, closures, chances, cancels and uploads, and about the odd spellings of a head.
struct DrawnJourney {
  /// The way in which a client takes a response.
  enum Form {
    case whole
    case pieces
    /// In pieces, cancelled after its head.
    case cancelled
    case upload(RequestBody)
  }

  private(set) var scripts: [StubAPIResponse] = []
  private(set) var requests: [(request: URLRequest, form: Form)] = []
  private var generator: SeededGenerator

  private static let paths = ["/a", "/b", "/c"]

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    for _ in 0..<int(1...3) { scripts.append(drawScript()) }
    for _ in 0..<int(5...10) { try drawRequest() }
  }

  init(requests: [(request: URLRequest, form: Form)]) {
    generator = SeededGenerator(seed: 0)
    self.requests = requests
  }

  static func request(_ path: String) throws -> URLRequest {
    guard let url = URL(string: "\(base)\(path)") else { throw TestFailure() }
    return URLRequest(url: url)
  }
}

// MARK: Requests

extension DrawnJourney {
  private mutating func drawRequest() throws {
    var request = try Self.request(one(of: Self.paths) + one(of: ["", "?n=1", "#part"]))
    request.httpMethod = one(of: ["GET", "GET", "HEAD", "POST", "PUT"])
    request.timeoutInterval = 5
    if chance(15) { request.setValue("br, gzip", forHTTPHeaderField: "Accept-Encoding") }
    if chance(5) { request.setValue("100-continue", forHTTPHeaderField: "Expect") }
    if chance(5) { request.setValue("other", forHTTPHeaderField: "X-RESTKit-Stub") }
    let hasBody = request.httpMethod == "POST" || request.httpMethod == "PUT"
    let content = Data("body \(int(0...99))".utf8)
    let form: Form
    switch int(0...9) {
    case 0...4: form = .whole
    case 5, 6: form = .pieces
    case 7: form = .cancelled
    case 8: form = hasBody ? .upload(.data(content)) : .pieces
    default:
      let chunks = Publishers.Sequence<[Data], any Error>(sequence: [content, Data("!".utf8)])
      let length = one(of: [Int64?.none, Int64(content.count + 1)])
      form = hasBody ? .upload(.chunks(chunks, length: length)) : .pieces
    }
    if hasBody, case .upload = form {} else if hasBody, chance(70) { request.httpBody = content }
    requests.append((request, form))
  }
}

// MARK: Scripts

extension DrawnJourney {
  private mutating func drawScript() -> StubAPIResponse {
    var script = drawStep(after: nil)
    for _ in 0..<int(0...3) { script = drawStep(after: script) }
    return script
  }

  private mutating func drawStep(after script: StubAPIResponse?) -> StubAPIResponse {
    let request = StubRequest(
      one(of: [nil, nil, .get, .post]), path: "/v1" + one(of: Self.paths + ["/*"]))
    let (status, headers, body) = drawResponse()
    var step: StubAPIResponse
    switch int(0...9) {
    case 0...5:
      step =
        script?.thenRespondWith(
          request: request, statusCode: status, headers: headers, result: .success(body))
        ?? StubAPIResponse(
          request: request, statusCode: status, headers: headers, result: .success(body))
    case 6, 7:
      let half = body.count / 2
      let pieces = [StubPiece(Data(body.prefix(half))), StubPiece(Data(body.dropFirst(half)))]
      let end = one(of: [BodyEnd.complete, .complete, .cut])
      step =
        script?.thenRespondWith(
          request: request, statusCode: status, headers: headers, pieces: pieces, end: end)
        ?? StubAPIResponse(
          request: request, statusCode: status, headers: headers, pieces: pieces, end: end)
    default:
      let isThrowing = chance(10)
      let responder: StubAPIResponse.Responder = { request in
        if isThrowing { throw TestFailure() }
        return StubResponse(
          statusCode: status, headers: headers,
          result: .success(request.httpBody ?? Data(request.httpMethod?.utf8 ?? "".utf8)))
      }
      step =
        script?.thenRespondWith(request: request, responder: responder)
        ?? StubAPIResponse(request: request, responder: responder)
    }
    if chance(20) {
      step = step.failing(
        with: one(of: [.connectionRefused, .bodyCut, .chunkCut, .twoLengths, .undecodableBody]),
        probability: 0.5, seed: generator.next())
    }
    if chance(10) {
      step = step.thenVerifyRequest { if $0.httpBody == nil { throw TestFailure() } }
    }
    switch int(0...9) {
    case 0...3: return step
    case 4, 5: return step.repeats(int(2...3))
    case 6: return step.always()
    case 7: return step.optional()
    case 8: return step.optional().repeats(2)
    default: return step.always().optional()
    }
  }

  private mutating func drawResponse() -> (status: Int, headers: HTTPHeaders, body: Data) {
    let status = one(of: [200, 200, 200, 201, 202, 204, 205, 206, 304, 404, 500, 999])
    let body = Data(String(repeating: "text ", count: int(0...40)).utf8)
    var headers = HTTPHeaders()
    for _ in 0..<int(0...3) {
      headers.append(name: one(of: Self.names), value: one(of: Self.values))
    }
    if chance(50) { drawFraming(of: body, into: &headers) }
    return (status, headers, body)
  }

  private static let names = [
    "X-A", "x-a", "!#$%&'*+-.^_`|~", "Set-Cookie", "Connection", "Keep-Alive", "Trailer", "Upgrade",
    "Date", "Server", "Content-Type", "Via", "Proxy-Connection", "Location", "X-Long",
    "X-RESTKit-Stub",
  ]

  private static let values = [
    "", " ", "\t", "\tb", "b\t", " \u{301}", "a\u{301} ", "a\tb", "\u{85}", "\u{A0}x\u{A0}",
    "\u{202E}x", "close", "keep-alive", "close, X-A", "a=b; Path=/; HttpOnly", "\"quoted, comma\"",
    "https://other.example/x", "/relative?q#f", "\u{1F468}\u{200D}\u{1F469}", "\u{FFFE}",
    String(repeating: "v", count: 999), String(repeating: "v", count: 1_000),
    String(repeating: "v", count: 102_380), String(repeating: "v", count: 102_389),
    String(repeating: "v", count: 102_390), String(repeating: "v", count: 102_401),
  ]

  private mutating func drawFraming(of body: Data, into headers: inout HTTPHeaders) {
    let (count, less) = (body.count, body.count / 2)
    switch int(0...9) {
    case 0...4:
      let value = one(of: [
        "\(count), \(count)", "\(less), \(less)", "\(less),\(less)", " \(less)", "\(less) ",
        "\(less)\t", "0\(less)", "00", "\(less), \(count)", "\(less),", ",\(less)", "",
        "99999999999999999999", "\(less)\u{A0}", "\u{661}", "+\(less)", "\(less).0", "0x5",
        "\(Int64.max)", "\(less) \(less)",
      ])
      headers.append(name: one(of: ["Content-Length", "content-LENGTH"]), value: value)
    case 5:
      headers.append(name: "Content-Length", value: "\(less)")
      headers.append(name: "Content-Length", value: one(of: [" \(less)", "0\(less)", "\(count)"]))
    case 6:
      headers.append(
        name: "Transfer-Encoding",
        value: one(of: [
          "chunked", " Chunked ", "chunked, chunked", "gzip, chunked", "", "identity",
        ]))
      if chance(20) { headers.append(name: "Content-Length", value: "\(less)") }
    default:
      headers.append(
        name: "Content-Encoding",
        value: one(of: [
          "", ",", ", gzip", "gzip, deflate", "deflate", "identity, identity", "GZIP , identity",
          "gzip;q=1", "utf-8", "br", "x-deflate", "aws-chunked",
        ]))
      if chance(20) { headers.append(name: "content-encoding", value: "identity") }
    }
  }
}

// MARK: Draws

extension DrawnJourney {
  private mutating func int(_ range: ClosedRange<Int>) -> Int {
    .random(in: range, using: &generator)
  }

  private mutating func chance(_ percent: Int) -> Bool { int(1...100) <= percent }

  private mutating func one<Value>(of values: [Value]) -> Value {
    values[int(0...(values.count - 1))]
  }
}
