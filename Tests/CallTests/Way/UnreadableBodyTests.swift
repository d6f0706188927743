import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A way in which the body of a response cannot be read.
enum BodyFlaw: CaseIterable, Sendable {
  case mislabelled, unknownCoding, cut, chunkCut, overLimit

  static let limits: TransportLimits = {
    var limits = TransportLimits()
    (limits.bodyBytes, limits.errorBodyBytes) = (2_000, 1_000)
    return limits
  }()

  func response(_ status: Int, _ headers: [(name: String, value: String)] = []) -> MockResponse {
    let text = Data(repeating: UInt8(ascii: "a"), count: 3_000)
    var response = MockResponse(status: status, headers: headers, body: text.prefix(500))
    switch self {
    case .mislabelled: response.headers.append(("Content-Encoding", "gzip"))
    case .unknownCoding: response.headers.append(("Content-Encoding", "zstd"))
    case .cut: response.delivery = .cut(afterBytes: 100)
    case .chunkCut: response.delivery = .chunkedCut([text.prefix(100)])
    case .overLimit: response.body = text
    }
    return response
  }

}

@Suite(
  "A status counts although its body cannot be read, on real sockets", .timeLimit(.minutes(10)))
struct UnreadableBodySocketTests {
  @Test(
    "A redirect is followed", arguments: TransportKind.allCases, BodyFlaw.allCases)
  func redirect(kind: TransportKind, flaw: BodyFlaw) async throws {
    // Foundation on Linux keeps the head of a redirect to itself until it has read the body.
    guard kind != .urlSession || flaw == .overLimit else { return }
    let server = try MockServer { request in
      request.path == "/there"
        ? .text("ok") : flaw.response(302, [("Location", "/there"), ("Connection", "close")])
    }
    defer { server.stop() }
    let api = TestAPI(
      baseURL: server.baseURL, transport: try kind.make(limits: BodyFlaw.limits))
    #expect(try await api.get(endpoint: "here").value.data == Data("ok".utf8))
    #expect(try await api.post(endpoint: "here", body: nil).value.data == Data("ok".utf8))
  }

  @Test(
    "TR-01: a 401 refreshes, and the call goes on", arguments: TransportKind.allCases,
    BodyFlaw.allCases)
  func refresh(kind: TransportKind, flaw: BodyFlaw) async throws {
    let server = try MockServer { request in
      switch (request.path, request.value(for: "Authorization")) {
      case ("/auth/refresh", _): .json(#"{"accessToken": "fresh"}"#)
      case (_, "Bearer fresh"): .text("ok")
      default: flaw.response(401)
      }
    }
    defer { server.stop() }
    let transport = try kind.make(limits: BodyFlaw.limits)
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: server.baseURL, transport: transport))
    try session.signIn(Credential(accessToken: "old", refreshToken: "once"))
    let api = TestAPI(baseURL: server.baseURL, transport: transport, session: session)
    #expect(try await api.get(endpoint: "a").value.data == Data("ok".utf8))
    #expect(server.requests.map(\.path) == ["/a", "/auth/refresh", "/a"])
  }

  @Test(
    "An error status is the kind of the error, and the fault stands beside it",
    arguments: TransportKind.allCases, BodyFlaw.allCases)
  func failure(kind: TransportKind, flaw: BodyFlaw) async throws {
    let server = try MockServer { _ in flaw.response(404, [("X-Own", "1")]) }
    defer { server.stop() }
    let api = TestAPI(
      baseURL: server.baseURL, transport: try kind.make(limits: BodyFlaw.limits),
      retry: RetryPolicy())
    let error = try await restError(of: api.get(endpoint: "a"))
    #expect(error.kind == .notFound)
    #expect(error.response?.headers["X-Own"] == "1")
    #expect((error.underlyingError as? TransportError)?.statusCode == 404)
    #expect(error.attempts == 1)
    #expect(error.reason.hasPrefix("the server answered 404 Not Found, and its body could not"))
    if flaw == .cut { #expect(error.body?.count ?? 0 <= 100) }
    let uploaded = try await restError(
      of: api.upload(endpoint: "a", body: .data(Data("b".utf8))).last())
    #expect(uploaded.kind == .notFound)
    #expect(uploaded.underlyingError is TransportError)
  }

  @Test("A 503 keeps its Retry-After", arguments: TransportKind.allCases, BodyFlaw.allCases)
  func retryAfter(kind: TransportKind, flaw: BodyFlaw) async throws {
    let count = Counter()
    let server = try MockServer { _ in
      count.add()
      return count.value == 1 ? flaw.response(503, [("Retry-After", "7")]) : .text("ok")
    }
    defer { server.stop() }
    let waits = ValueLog<Duration>()
    let transport = ObservedTransport(try kind.make(limits: BodyFlaw.limits))
    let log = transport.callEvents.sink { event in
      if case .waiting(let wait, _, _) = event.kind { waits.add(wait) }
    }
    defer { log.cancel() }
    // No wait takes time, so no time limit may apply.
    var policy = RetryPolicy(scheduler: .immediate)
    (policy.totalTime, policy.attemptTimeout) = (nil, nil)
    let api = TestAPI(baseURL: server.baseURL, transport: transport, retry: policy)
    #expect(try await api.get(endpoint: "a").value.data == Data("ok".utf8))
    #expect(waits.all.count == 1)
    #expect(try #require(waits.all.first) >= .seconds(7))
  }

  @Test("A status of success does not count", arguments: TransportKind.allCases)
  func success(kind: TransportKind) async throws {
    let server = try MockServer { _ in BodyFlaw.cut.response(200, [("X-Own", "1")]) }
    defer { server.stop() }
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: try kind.make()).get(endpoint: "a"))
    #expect(error.kind == .transport(.bodyCut))
    #expect(error.response?.headers["X-Own"] == "1")
  }

  @Test("A download and an upload refresh, too", arguments: TransportKind.allCases)
  func transfers(kind: TransportKind) async throws {
    let server = try MockServer { request in
      switch (request.path, request.value(for: "Authorization")) {
      case ("/auth/refresh", _): .json(#"{"accessToken": "fresh"}"#)
      case (_, "Bearer fresh"): .text("ok")
      default: BodyFlaw.cut.response(401)
      }
    }
    defer { server.stop() }
    let transport = try kind.make(limits: BodyFlaw.limits)
    let grant = JSONRefreshGrant(baseURL: server.baseURL, transport: transport)
    let folder = try TemporaryFolder()
    for number in 0..<3 {
      let session = TokenSession(grant: grant)
      try session.signIn(Credential(accessToken: "old", refreshToken: "once"))
      let api = TestAPI(baseURL: server.baseURL, transport: transport, session: session)
      switch number {
      case 0:
        _ = try await api.download(endpoint: "a", to: folder.url.appending(path: "a")).last().value
      case 1: _ = try await api.upload(endpoint: "a", body: .data(Data("b".utf8))).last().value
      default: _ = try await api.events(.get, endpoint: "a").last().value
      }
    }
    #expect(server.requests.filter { $0.path == "/auth/refresh" }.count == 3)
  }
}

@Suite("A status counts although its body cannot be read, over stubs")
struct UnreadableBodyTests {
  private static let url = "https://api.example.com/v1/a"

  private func stubs(
    _ status: Int, headers: HTTPHeaders = [:], isOnSocket: Bool
  ) throws -> StubTransport {
    let script = StubAPIResponse(
      request: StubRequest(.get, urlString: Self.url), statusCode: status, headers: headers,
      pieces: ["par"], end: .cut
    ).thenRespondWith(request: StubRequest(.get), result: .success(Data("ok".utf8))).optional()
    return isOnSocket
      ? try StubTransport(script, over: .shared) : StubTransport(script)
  }

  @Test("A redirect is followed, in memory and on a socket", arguments: [false, true])
  func redirect(isOnSocket: Bool) async throws {
    let stubs = try stubs(302, headers: ["Location": "/v1/there"], isOnSocket: isOnSocket)
    #expect(try await TestAPI(transport: stubs).get(endpoint: "a").value.data == Data("ok".utf8))
  }

  @Test(
    "The error has the status and the part that came, in memory and on a socket",
    arguments: [false, true])
  func failure(isOnSocket: Bool) async throws {
    let stubs = try stubs(404, isOnSocket: isOnSocket)
    let error = try await restError(of: TestAPI(transport: stubs).get(endpoint: "a"))
    #expect(error.kind == .notFound)
    #expect(error.body == Data("par".utf8))
    #expect(error.response?.url.absoluteString == Self.url)
    #expect((error.underlyingError as? TransportError)?.kind == .bodyCut)
  }

  @Test("RT-03: a 503 with a cut body waits for its Retry-After")
  func retryAfter() throws {
    let scheduler = TestScheduler()
    let stubs = try stubs(503, headers: ["Retry-After": "20"], isOnSocket: false)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: stubs, retry: .test(scheduler)).get(endpoint: "a").subscribe(subscriber)
    scheduler.advance(by: .seconds(19))
    #expect(stubs.requests.count == 1)
    scheduler.advance(by: .seconds(10))
    #expect(subscriber.values.map(\.statusCode) == [200])
  }

  @Test("The closure of a transport of one's own is no exception")
  func closure() async throws {
    let transport = ClosureTransport(limits: BodyFlaw.limits) { request in
      RESTResponse(
        head: ResponseHead(
          url: try #require(request.url), statusCode: 404, headers: ["X-Own": "1"]),
        data: Data(count: 1_001), request: RequestSummary(request))
    }
    let error = try await restError(of: TestAPI(transport: transport).get(endpoint: "a"))
    #expect(error.kind == .notFound)
    #expect(error.response?.headers["X-Own"] == "1")
  }

  @Test("A response whose body is cut is recorded and played with its head")
  func recording() async throws {
    let folder = try TemporaryFolder()
    for mode in [RecordingMode.always, .never] {
      let transport = try stubs(404, isOnSocket: false)
      let recorded = try StubTransport.record(
        to: folder.url.appending(path: "cut.har").path, over: transport, mode: mode)
      let error = try await restError(of: TestAPI(transport: recorded).get(endpoint: "a"))
      #expect(error.kind == .notFound)
      #expect(error.body == Data("par".utf8))
      try recorded.verify()
    }
  }
}
