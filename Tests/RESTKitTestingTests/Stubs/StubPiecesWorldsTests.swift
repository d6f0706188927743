import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A body in pieces behaves the same in memory and on a socket", .timeLimit(.minutes(10)))
struct StubPiecesWorldsTests {
  typealias Carrier = StubWorldsTests.Carrier

  /// The result that a subscriber sees, independent of the chunks.
  private struct Outcome: Equatable {
    var sent: Int64 = 0
    var heads: [String] = []
    var body = Data()
    var failure: String?

    init(_ events: AnyPublisher<TransferEvent, any Error>) async {
      do {
        for try await event in events.values {
          switch event {
          case .sent(let progress): sent = progress.completedBytes
          case .head(let head):
            heads.append("\(head.statusCode) \(head.url) \(head.headers["X-Name"] ?? "-")")
          case .chunk(let chunk): body += chunk
          }
        }
      } catch {
        failure = Self.text(of: error)
      }
    }

    init(_ response: AnyPublisher<RESTResponse, any Error>) async {
      do {
        let response = try await response.value
        heads = ["\(response.statusCode) \(response.url) \(response.headers["X-Name"] ?? "-")"]
        body = response.data
      } catch {
        failure = Self.text(of: error)
      }
    }

    private static func text(of error: any Error) -> String {
      guard let error = error as? RESTError, let fault = error.underlyingError as? TransportError
      else { return "\(error)" }
      let status = fault.statusCode.map { "\($0)" } ?? "no status"
      return "\(error.request.map { "\($0)" } ?? "-") \(fault.kind) "
        + "\(fault.mayHaveBeenProcessed) \(status)"
    }
  }

  /// The length in the head: none, less than the body, equal, more.
  static let lengths: [String?] = [nil, "4", "6", "9"]

  private func request(
    method: HTTPMethod = .get, limit: TimeInterval = 1
  ) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: base + "/a")))
    request.httpMethod = method.rawValue
    request.timeoutInterval = limit
    return request
  }

  private func expectSame(
    _ script: StubAPIResponse, over carrier: Carrier, _ request: URLRequest,
    body: RequestBody? = nil
  ) async throws {
    let stubs = [StubTransport(script), try StubTransport(script, over: carrier.transport())]
    let (memory, socket) = (stubs[0], stubs[1])
    let seen = await Outcome(socket.events(for: request, body: body))
    let expected = await Outcome(memory.events(for: request, body: body))
    #expect(seen == expected)
    if body == nil {
      let seen = await Outcome(socket.response(for: request))
      let expected = await Outcome(memory.response(for: request))
      #expect(seen == expected)
    }
    #expect(socket.journal.map(\.description) == memory.journal.map(\.description))
    #expect(socket.journal.map(\.bodyBytes) == memory.journal.map(\.bodyBytes))
    for stubs in stubs { try stubs.verify() }
  }

  @Test(
    "Each end has the same result, with and without a length",
    arguments: Carrier.allCases,
    BodyEnd.allCases)
  func ends(carrier: Carrier, end: BodyEnd) async throws {
    for length in Self.lengths {
      var headers: HTTPHeaders = ["X-Name": "one"]
      headers["Content-Length"] = length
      let script = StubAPIResponse(
        request: .get("/a"), statusCode: 206, headers: headers,
        pieces: ["ab", .after(.milliseconds(5), "cd"), "", "ef", .wait(.milliseconds(5))], end: end
      ).always()
      // Only silence is to meet the limit.
      try await expectSame(
        script, over: carrier, try request(limit: end == .silence ? 1 : 20))
    }
  }

  @Test("An invalid length is the same failure", arguments: Carrier.allCases)
  func noLength(carrier: Carrier) async throws {
    let script = StubAPIResponse(
      request: .get("/a"), headers: ["Content-Length": "five"], pieces: ["hello"])
    let socket = try StubTransport(script, over: carrier.transport())
    let error = await #expect(throws: StubError.self) {
      for try await _ in socket.events(for: try request(), body: nil).values {}
    }
    #expect(error?.failures.map(\.kind) == [.invalidStub])
  }

  @Test("A silence beyond the timeout is the same timeout", arguments: Carrier.allCases)
  func late(carrier: Carrier) async throws {
    let script = StubAPIResponse(
      request: .get("/a"), pieces: ["ab", .after(.seconds(30), "cd")]
    ).always()
    try await expectSame(script, over: carrier, try request())
  }

  @Test("All pieces together may take longer than the timeout", arguments: Carrier.allCases)
  func longer(carrier: Carrier) async throws {
    let script = StubAPIResponse(
      request: .get("/a"),
      pieces: (0..<5).map { .after(.milliseconds(400), "\($0)") })
    let request = try request(limit: 1.5)
    let socket = try StubTransport(script, over: carrier.transport())
    let outcome = await Outcome(socket.events(for: request))
    let expected = await Outcome(StubTransport(script).events(for: request))
    #expect(outcome == expected)
    #expect(outcome.body == Data("01234".utf8) && outcome.failure == nil)
  }

  @Test(
    "A response without a body is only a head, and the next response follows",
    arguments: Carrier.allCases)
  func bodiless(carrier: Carrier) async throws {
    for (method, status) in [(.head, 200), (.get, 204), (.get, 304)] as [(HTTPMethod, Int)] {
      for end in BodyEnd.allCases {
        let script = StubAPIResponse(
          request: StubRequest(), statusCode: status, pieces: ["ab"], end: end
        ).always()
        try await expectSame(script, over: carrier, try request(method: method, limit: 20))
      }
    }
  }

  @Test("Throttled bytes are the same", arguments: Carrier.allCases)
  func throttled(carrier: Carrier) async throws {
    let scripts = [
      StubAPIResponse(request: .get("/a"), pieces: ["ab", .after(.milliseconds(5), "cd")]),
      StubAPIResponse(request: .get("/a"), result: .json("abcd")),
      StubAPIResponse(request: .get("/a"), result: .json("")),
      StubAPIResponse(
        request: .get("/a"), headers: ["Content-Length": "4"], result: .json("abcd")),
    ]
    for script in scripts {
      try await expectSame(
        script.throttled(bytesPerSecond: 500).always(), over: carrier, try request(limit: 20))
    }
  }

  @Test("Faults, failures and uploads are the same in pieces", arguments: Carrier.allCases)
  func others(carrier: Carrier) async throws {
    for fault in [StubFault.bodyCut, .chunkCut, .resetInBody, .stallInBody, .connectionRefused] {
      let script = StubAPIResponse(request: .get("/a"), result: .fault(fault)).always()
      try await expectSame(script, over: carrier, try request())
    }
    let own = StubAPIResponse(request: .get("/a"), result: .failure(TestFailure())).always()
    try await expectSame(own, over: carrier, try request())
    let upload = StubAPIResponse(
      request: StubRequest(.put).body(Data("abc".utf8)), pieces: ["ab", "cd"])
    try await expectSame(
      upload, over: carrier, try request(method: .put, limit: 20), body: .data(Data("abc".utf8)))
  }

  @Test(
    "A piece arrives before the next one is sent, and a cancel is noticed",
    arguments: Carrier.allCases)
  func cancel(carrier: Carrier) async throws {
    let script = StubAPIResponse(
      request: .get("/a"), pieces: ["ab", .after(.seconds(86_400), "cd")])
    let stubs = try StubTransport(script, over: carrier.transport())
    let (chunks, chunk) = AsyncStream.makeStream(of: Void.self)
    let call = TestSubscriber<TransferEvent, any Error> { _, event in
      if case .chunk = event { chunk.yield() }
      return .none
    }
    stubs.events(for: try request(limit: 86_400)).receive(subscriber: call)
    for await _ in chunks { break }
    #expect(call.texts == ["head 200", "ab"])
    #expect(stubs.journal.map(\.outcome) == [.pending])
    call.cancel()
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
    #expect(stubs.journal.map(\.bodyBytes) == [2])
    try stubs.verify()
  }

  @Test("The transport reads no more than the demand from the socket", arguments: Carrier.allCases)
  func demand(carrier: Carrier) async throws {
    let script = StubAPIResponse(request: .get("/a"), pieces: ["ab", "cd"]).always()
    let stubs = try StubTransport(script, over: carrier.transport())
    let (values, value) = AsyncStream.makeStream(of: Void.self)
    let call = TestSubscriber<TransferEvent, any Error>(demand: .max(1)) { _, _ in
      value.yield()
      return .none
    }
    stubs.events(for: try request(limit: 20)).receive(subscriber: call)
    for await _ in values { break }
    // By the time that another call has come and gone, more of this one has been there for long.
    _ = try await stubs.response(for: try request(limit: 20)).value
    #expect(call.texts == ["head 200"] && call.keepsContract)
    call.cancel()
  }
}
