import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("ST-08, ST-09: One script in memory and on a socket")
struct StubWorldsTests {
  /// The transport that carries the requests to the socket.
  enum Carrier: CaseIterable {
    #if os(Linux)
      case curl
    #endif
    case urlSession

    func transport() throws -> any Transport {
      switch self {
      #if os(Linux)
        case .curl: try CurlTransport()
      #endif
      case .urlSession: URLSessionTransport()
      }
    }
  }

  /// An outcome, as a client sees it.
  private struct Outcome: Equatable, CustomStringConvertible {
    let description: String

    init(_ result: Result<RESTResponse, any Error>) {
      switch result {
      case .success(let response):
        let body = String(decoding: response.data, as: UTF8.self)
        let name = response.headers["X-Name"] ?? "-"
        description = "\(response) \(response.url) X-Name: \(name) \(body)"
      case .failure(let error as RESTError):
        let fault = error.underlyingError as? TransportError
        let isSafe = fault?.mayHaveBeenProcessed == false
        description = "\(error.request.map { "\($0)" } ?? "-") \(error.kind) safe: \(isSafe)"
      case .failure(let error): description = "\(error)"
      }
    }
  }

  private struct API: RESTAPI {
    let baseURL = base
    let transport: any Transport
  }

  private func outcome(
    of publisher: AnyPublisher<RESTResponse, any Error>
  ) async -> Outcome {
    do {
      return Outcome(.success(try await publisher.value))
    } catch {
      return Outcome(.failure(error))
    }
  }

  private static let script = StubAPIResponse(
    request: .init(.get, urlString: base + "/me?q=a%20b"), statusCode: 401,
    headers: ["X-Name": "one"]
  )
  .thenRespondWith(
    request: StubRequest(.post, path: "/v1/auth/**").jsonBody(#"{"a": 1}"#).header("X-A", "1"),
    result: .json(#"{"token": "fresh"}"#)
  )
  .thenRespondWith(
    request: .init(.get, urlString: base + "/old"), statusCode: 307,
    headers: ["Location": "https://other.example.com/new"]
  )
  .thenRespondWith(
    request: .init(.get, urlString: "https://other.example.com/new"), result: .json("moved")
  )
  .thenRespondWith(request: .get("/empty"), statusCode: 204, result: .json("left out"))
  .thenRespondWith(request: .init(.head, urlString: base + "/h"), result: .json("left out"))
  .thenRespondWith(request: .get("/slow"), result: .json("12345"), delay: .milliseconds(2))
  .throttled(bytesPerSecond: 100_000)
  .thenRespondWith(request: .get("/verified"))
  .thenVerifyRequest { _ in throw TestFailure(description: "no token") }
  .thenRespondWith(request: .get("/own"), result: .failure(TestFailure()))

  /// Returns the outcomes of a client that follows the script, and the harness's report.
  private func play(on stubs: StubTransport) async -> [Outcome] {
    let api = API(transport: stubs)
    var outcomes: [Outcome] = []
    for call in [
      api.get(endpoint: "me", query: [URLQueryItem(name: "q", value: "a b")]),
      api.post(endpoint: "auth/refresh", body: .data(Data(#"{"a": 1.0}"#.utf8))) {
        var request = $0
        request.setValue("1", forHTTPHeaderField: "X-A")
        return request
      },
      api.get(endpoint: "old"), api.get(endpoint: "empty"), api.head(endpoint: "h"),
      api.get(endpoint: "slow"), api.get(endpoint: "verified"), api.get(endpoint: "own"),
      api.get(endpoint: "nobody"),
    ] {
      outcomes.append(await outcome(of: call))
    }
    return outcomes
  }

  @Test("A script of responses has the same result, call by call", arguments: Carrier.allCases)
  func answers(carrier: Carrier) async throws {
    let memory = StubTransport(Self.script)
    let socket = try StubTransport(Self.script, over: carrier.transport())
    let expected = await play(on: memory)
    #expect(expected.count == 9)
    #expect(await play(on: socket) == expected)
    #expect(socket.journal.map(\.description) == memory.journal.map(\.description))
    let errors = [memory, socket].map { stubs in
      #expect(throws: StubError.self) { try stubs.verify() }
    }
    #expect(errors[0]?.failures.map(\.description) == errors[1]?.failures.map(\.description))
    #expect(errors[0]?.failures.map(\.kind) == [.verificationFailed, .unmatchedRequest])
  }

  @Test("A fault has the same result", arguments: Carrier.allCases, StubFault.allCases)
  func fault(carrier: Carrier, fault: StubFault) async throws {
    // The first response keeps its connection alive, on which an engine may send the second twice.
    let script = StubAPIResponse.text("1", for: "/a")
      .thenRespondWith(request: .get("/a"), result: .fault(fault))
    let memory = StubTransport(script)
    let socket = try StubTransport(script, over: carrier.transport())
    let isStall = fault == .stall || fault == .stallInBody
    for seconds in [20, isStall ? 0.3 : 20] {
      func call(_ stubs: StubTransport) -> AnyPublisher<RESTResponse, any Error> {
        API(transport: stubs).get(endpoint: "a") {
          var request = $0
          request.timeoutInterval = seconds
          return request
        }
      }
      let (seen, expected) = (await outcome(of: call(socket)), await outcome(of: call(memory)))
      #expect(seen == expected)
    }
    #expect(socket.journal.map(\.outcome) == [.answered(200), .failed])
    for stubs in [memory, socket] { try stubs.verify() }
  }

  @Test(
    "A late or slow response is the same timeout",
    arguments: Carrier.allCases,
    [
      StubAPIResponse(request: .get("/a"), delay: .seconds(30)),
      StubAPIResponse(request: .get("/a"), result: .json("slow")).throttled(bytesPerSecond: 1),
    ])
  func late(carrier: Carrier, script: StubAPIResponse) async throws {
    // The connection is there when the time begins.
    let first = StubAPIResponse.text("1", for: "/first")
    let stubs = [
      StubTransport(first, script), try StubTransport(first, script, over: carrier.transport()),
    ]
    var outcomes: [Outcome] = []
    for stubs in stubs {
      let api = API(transport: stubs)
      _ = try await api.get(endpoint: "first").value
      outcomes.append(
        await outcome(
          of: api.get(endpoint: "a") {
            var request = $0
            request.timeoutInterval = 0.3
            return request
          }))
    }
    #expect(outcomes[0] == outcomes[1])
    #expect("\(outcomes[0])".contains("transport(HTTPWire.TransportError.Kind.timedOut)"))
  }

  @Test("A cancel is noticed, and the journal shows it", arguments: Carrier.allCases)
  func cancel(carrier: Carrier) async throws {
    let script = StubAPIResponse(request: .get("/a"), result: .fault(.stall))
    for stubs in [
      StubTransport(script, scheduler: TestScheduler()),
      try StubTransport(script, over: carrier.transport()),
    ] {
      let subscriber = try stubs.subscriber("/a")
      subscriber.cancel()
      #expect(stubs.journal.map(\.outcome) == [.cancelled])
      #expect(subscriber.completions.isEmpty)
      try stubs.verify()
    }
  }

  @Test("The limits are the limits of the transport that carries the requests")
  func limits() throws {
    var limits = TransportLimits()
    limits.bodyBytes = 10
    let script = StubAPIResponse(request: .get("/a"), result: .json("12345678901"))
    let stubs = try StubTransport(script, over: URLSessionTransport(limits: limits))
    #expect(stubs.limits == limits)
    #expect(StubTransport(script).limits == TransportLimits())
  }

  @Test(
    "A request without a URL is refused, as by other transports",
    arguments: [nil] + Carrier.allCases)
  func noURL(carrier: Carrier?) async throws {
    let script = StubAPIResponse(request: StubRequest())
    let stubs =
      try carrier.map { try StubTransport(script, over: $0.transport()) } ?? StubTransport(script)
    var request = URLRequest(url: try #require(URL(string: base)))
    request.url = nil
    let result = await outcome(of: stubs.response(for: request))
    #expect(result.description == "GET (no URL) invalidRequest safe: true")
  }

  @Test(
    "The socket's server is released with its transport, even during a stall",
    arguments: Carrier.allCases)
  func released(carrier: Carrier) async throws {
    let carrier = try carrier.transport()
    weak var released: StubTransport?
    do {
      let stubs = try StubTransport(
        StubAPIResponse(request: .get("/a"), result: .fault(.stall)), over: carrier)
      released = stubs
      try stubs.subscriber("/a").cancel()
    }
    #expect(released == nil)
  }
}
