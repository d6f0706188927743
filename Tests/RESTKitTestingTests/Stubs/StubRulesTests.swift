import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("In memory a stub takes and gives what a transport would")
struct StubRulesTests {
  private static let packed =
    Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==")
    ?? Data()

  private func kind(
    status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data("body".utf8)
  ) throws -> RESTError.Kind? {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .get("/a"), statusCode: status, headers: headers, result: .success(body)))
    return (try stubs.subscriber("/a").failure as? RESTError)?.kind
  }

  @Test(
    "A status that is no final one fails the call and the test",
    arguments: [-1, 0, 99, 100, 102, 199, 1_000])
  func statuses(status: Int) throws {
    let stubs = StubTransport(StubAPIResponse(request: .get("/a"), statusCode: status))
    let error = try #require(try stubs.subscriber("/a").failure as? StubError)
    #expect(error.failures.map(\.kind) == [.invalidStub])
    #expect(error.description.contains("Give it another status."))
    #expect(throws: StubError.self) { try stubs.verify() }
  }

  @Test("The bounds of statuses are values, and a switch of protocols is malformed")
  func bounds() throws {
    #expect(try kind(status: 200) == nil)
    #expect(try kind(status: 999) == nil)
    #expect(try kind(status: 101) == .transport(.malformedResponse))
  }

  @Test(
    "A field that cannot be written fails the call and the test",
    arguments: [("X A", "b"), ("", "b"), ("X-A", "b\r\nC: d"), ("X-A", "\u{0}")])
  func fields(name: String, value: String) throws {
    var headers = HTTPHeaders()
    headers.append(name: name, value: value)
    let stubs = StubTransport(StubAPIResponse(request: .get("/a"), headers: headers))
    #expect(try stubs.subscriber("/a").failure is StubError)
    #expect(throws: StubError.self) { try stubs.verify() }
  }

  @Test("A field's value arrives without blanks around it")
  func blanks() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), headers: ["X-A": " \tb c\t "]))
    #expect(try stubs.subscriber("/a").values.first?.headers["X-A"] == "b c")
    for value in ["\tb", "b\t", "\t", " \u{301}"] {
      let stubs = StubTransport(StubAPIResponse(request: .get("/a"), headers: ["X-A": value]))
      let seen = try stubs.subscriber("/a").values.first?.headers["X-A"]
      #expect(seen.map { Array($0.utf8) } == value.utf8.filter { $0 != 9 && $0 != 32 })
    }
  }

  @Test("Names of fields count for the limit on headers, however short the values are")
  func longNames() throws {
    let lines = (0..<19).map { (name: "X\($0)" + String(repeating: "n", count: 2_000), value: "") }
    var limits = TransportLimits()
    limits.headerBytes = 20_000
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), headers: HTTPHeaders(lines)), limits: limits)
    #expect(
      (try stubs.subscriber("/a").failure as? RESTError)?.kind
        == .transport(.limitExceeded(.headerBytes)))
  }

  @Test("A Content-Length rules over the body")
  func lengths() throws {
    let rows: [(length: String, text: String?, kind: RESTError.Kind?)] = [
      ("4", "body", nil), ("2", "bo", nil), ("0", "", nil),
      ("5", nil, .transport(.bodyCut)), ("five", nil, .transport(.malformedResponse)),
      (" 2\t", "bo", nil), ("2, 2", "bo", nil), ("5,5", nil, .transport(.bodyCut)),
      ("02", "bo", nil), ("2, 3", nil, .transport(.malformedResponse)),
      ("2,", nil, .transport(.malformedResponse)),
    ]
    for row in rows {
      let stubs = StubTransport(
        StubAPIResponse(
          request: .get("/a"), headers: ["Content-Length": row.length], result: .json("body")))
      let call = try stubs.subscriber("/a")
      #expect(call.values.first.map { String(decoding: $0.data, as: UTF8.self) } == row.text)
      #expect((call.failure as? RESTError)?.kind == row.kind)
    }
    var two: HTTPHeaders = ["Content-Length": "4"]
    two.append(name: "content-length", value: "5")
    #expect(try kind(headers: two) == .transport(.malformedResponse))
    #expect(try kind(headers: ["Transfer-Encoding": "gzip"]) == .transport(.malformedResponse))
    #expect(try kind(headers: ["Transfer-Encoding": "chunked"]) == nil)
  }

  @Test("A body and a head over the limits are faults that name the limit")
  func limits() throws {
    var limits = TransportLimits()
    (limits.bodyBytes, limits.errorBodyBytes) = (3, 2)
    for (status, body, limit) in [
      (200, "four", TransportError.Limit.bodyBytes), (404, "four", .errorBodyBytes),
      (200, "abc", nil), (404, "ab", nil),
    ] as [(Int, String, TransportError.Limit?)] {
      let script = StubAPIResponse(
        request: .get("/a"), statusCode: status, result: .json(body)
      ).always()
      let stubs = StubTransport(script, limits: limits)
      #expect(stubs.limits == limits)
      let fault = (try stubs.subscriber("/a").failure as? RESTError)?.underlyingError
      #expect((fault as? TransportError)?.kind == limit.map { .limitExceeded($0) })
      #expect(try stubs.pieces("/a").texts == ["head \(status)", body])
    }
    func lines(_ count: Int, _ value: String = "") -> HTTPHeaders {
      HTTPHeaders((0..<count).map { (name: "X-\($0)", value: value) })
    }
    #expect(try kind(headers: lines(1_001)) == .transport(.limitExceeded(.headerCount)))
    #expect(try kind(headers: lines(1_000)) == nil)
    let long = String(repeating: "v", count: 50_000)
    #expect(try kind(headers: lines(8, long)) == .transport(.limitExceeded(.headerBytes)))
    limits.headerCount = 1
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), headers: lines(2)), limits: limits)
    let error = try stubs.subscriber("/a").failure as? RESTError
    #expect(error?.kind == .transport(.limitExceeded(.headerCount)))
  }

  @Test("A header line that no engine takes is a fault in both worlds", arguments: [true, false])
  func longLine(isInPieces: Bool) async throws {
    // libcurl's limit, with the name, the colon and the line's end.
    let most = 100 << 10
    for (length, kind) in [
      (most / 2, nil), (most, RESTError.Kind.transport(.limitExceeded(.headerLineBytes))),
    ] {
      let script = StubAPIResponse(
        request: .get("/a"), headers: ["X-A": String(repeating: "v", count: length)])
      var worlds = [StubTransport(script)]
      #if os(Linux)
        worlds.append(try StubTransport(script, over: CurlTransport()))
      #endif
      for stubs in worlds {
        let request = URLRequest(url: try #require(URL(string: base + "/a")))
        let failure = await stubs.failure(of: request, isInPieces: isInPieces)
        #expect(failure?.kind == kind)
      }
    }
  }

  @Test("A packed body is unpacked as its Content-Encoding says, whole and in pieces")
  func codings() throws {
    let gzip: HTTPHeaders = ["Content-Encoding": "gzip"]
    let half = Self.packed.count / 2
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), headers: gzip, result: .success(Self.packed)),
      StubAPIResponse(
        request: .get("/b"), headers: gzip,
        pieces: [StubPiece(Self.packed.prefix(4)), StubPiece(Self.packed.dropFirst(4))]),
      StubAPIResponse(
        request: .get("/c"), headers: gzip, pieces: [StubPiece(Self.packed.prefix(half))]))
    #expect(try stubs.text("/a") == "hello hello hello")
    let pieces = try stubs.pieces("/b")
    #expect(pieces.texts == ["head 200", "hello hello hello"] && pieces.isFinished)
    #expect(stubs.journal.map(\.bodyBytes) == [17, 17])
    let cut = try stubs.pieces("/c")
    #expect([.bodyCut, .undecodableBody].contains(cut.fault?.kind))
    #expect(try kind(headers: gzip) == .transport(.undecodableBody))
    #expect(try kind(headers: ["Content-Encoding": "br"]) == .transport(.undecodableBody))
    #expect(try kind(headers: gzip, body: Data()) == nil)
  }

  @Test("A client that names its codings gets an unknown one as it is")
  func chosenCoding() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .get("/a"), headers: ["Content-Encoding": "br"], result: .json("packed")))
    var request = URLRequest(url: try #require(URL(string: base + "/a")))
    request.setValue("br", forHTTPHeaderField: "Accept-Encoding")
    let call = TestSubscriber<RESTResponse, any Error>()
    stubs.response(for: request).receive(subscriber: call)
    #expect(call.values.first?.data == Data("packed".utf8))
  }

  @Test("A request that no transport sends is refused, and is no sent request")
  func refused() throws {
    let url = try #require(URL(string: base + "/a"))
    func request(_ change: (inout URLRequest) -> Void) -> URLRequest {
      var request = URLRequest(url: url)
      change(&request)
      return request
    }
    let requests = [
      request { $0.setValue("h", forHTTPHeaderField: "Host") },
      request { $0.setValue("1", forHTTPHeaderField: "Content-Length") },
      request { $0.setValue("b", forHTTPHeaderField: "X A") },
      request { ($0.httpMethod, $0.httpBody) = ("HEAD", Data("x".utf8)) },
      request { $0.httpMethod = "CONNECT" }, request { $0.url = URL(string: "ftp://h/a") },
      request { $0.url = URL(string: "v1/a") },
    ]
    let stubs = StubTransport(StubAPIResponse(request: StubRequest()).always().optional())
    for request in requests {
      let call = TestSubscriber<RESTResponse, any Error>()
      stubs.response(for: request).receive(subscriber: call)
      let error = try #require(call.failure as? RESTError)
      #expect(error.kind == .invalidRequest)
      #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
      let pieces = TestSubscriber<TransferEvent, any Error>()
      stubs.events(for: request, body: nil).receive(subscriber: pieces)
      #expect((pieces.failure as? RESTError)?.description == error.description)
    }
    let two = TestSubscriber<TransferEvent, any Error>()
    stubs.events(
      for: request { ($0.httpMethod, $0.httpBody) = ("POST", Data("x".utf8)) },
      body: .data(Data("y".utf8))
    ).receive(subscriber: two)
    #expect((two.failure as? RESTError)?.kind == .invalidRequest)
    #expect(stubs.requests.isEmpty)
    try stubs.verify()
  }

  @Test("A request's body is reported as sent before the server's delay, and not before a refusal")
  func progress() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(), delay: .seconds(1))
        .thenRespondWith(request: StubRequest(), result: .fault(.closedBeforeResponse))
        .thenRespondWith(request: StubRequest(), result: .fault(.connectionRefused))
        .thenRespondWith(request: StubRequest(), result: .fault(.sendFailed))
        .thenRespondWith(request: StubRequest(), result: .failure(TestFailure())),
      scheduler: scheduler)
    let url = try #require(URL(string: base + "/a"))
    func texts() -> [String] {
      var request = URLRequest(url: url)
      (request.httpMethod, request.httpBody) = ("POST", Data("abc".utf8))
      let call = TestSubscriber<TransferEvent, any Error>()
      stubs.events(for: request, body: nil).receive(subscriber: call)
      let before = call.values.map(\.text)
      scheduler.run()
      return before
    }
    #expect(texts() == ["sent 3"])
    #expect(texts() == ["sent 3"])
    for _ in 0..<3 { #expect(texts() == []) }
    try stubs.verify()
  }
}
