import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A signature covers the token that leaves, so it must be made after the token, for each exchange.
@Suite("A step of one's own signs what leaves", .leakFree, .timeLimit(.minutes(10)))
struct InterceptorTests {
  private typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  /// How the step signs: at once, or after it has read the body.
  enum Signing: CaseIterable, Sendable {
    case atOnce, awaiting

    func over(_ transport: any Transport) -> InterceptedTransport {
      switch self {
      case .atOnce: transport.intercepted(by: RequestSigner().sign)
      case .awaiting: transport.intercepted(by: RequestSigner().signReading)
      }
    }
  }

  private let scheduler = TestScheduler()

  private func begin(_ publisher: some Publisher<RESTResponse, any Error>) -> Subscriber {
    let subscriber = Subscriber()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  private func tokens(_ transport: ScriptedTransport) -> [String?] {
    transport.values(of: "Authorization")
  }

  @Test("The HMAC of these tests is that of RFC 4231 §4.3")
  func hmac() {
    let digest = RequestSigner.hmac(
      of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(digest.prefix(4) == [0x5B, 0xDC, 0xC1, 0x46])
    #expect(digest.suffix(4) == [0x64, 0xEC, 0x38, 0x43])
  }

  // MARK: The token

  /// A session whose tokens live ten seconds.
  private func session() -> TokenSession {
    let (scheduler, begin) = (scheduler, Date(timeIntervalSince1970: 784_111_777))
    let count = Counter()
    var options = TokenSessionOptions()
    options.leeway = .seconds(1)
    return TokenSession(
      grant: ClosureGrant { _ in
        count.add()
        return Just(TokenResponse(accessToken: "t\(count.value)", lifetime: .seconds(10)))
          .setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r", expiresAt: begin + 10)),
      options: options, scheduler: scheduler,
      date: { begin + Double(scheduler.now.components.seconds) })
  }

  @Test("The signature covers the token that leaves behind a limiter's wait")
  func limiter() {
    let transport = ScriptedTransport(.status(200), on: scheduler)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport.intercepted(by: RequestSigner().sign),
      session: session(),
      rateLimiter: RateLimiter(1, per: .seconds(12), burst: 1, scheduler: scheduler))
    let calls = (0..<3).map { begin(api.post(endpoint: "a\($0)", body: .data(Data("b".utf8)))) }
    scheduler.run()
    #expect(calls.map { $0.values.map(\.statusCode) } == [[200], [200], [200]])
    #expect(tokens(transport) == ["Bearer t0", "Bearer t1", "Bearer t2"])
    #expect(transport.requests.allSatisfy { RequestSigner.accepts($0) })
  }

  @Test("The repetition behind a refresh is signed over the new token", arguments: Signing.allCases)
  func refresh(signing: Signing) async throws {
    let transport = ScriptedTransport(on: scheduler) { _, request in
      .status(request.value(forHTTPHeaderField: "Authorization") == "Bearer t0" ? 401 : 200)
    }
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: signing.over(transport), timeout: .seconds(3_600),
      session: .renewing(on: scheduler))
    let response = try await api.post(endpoint: "a", body: .data(Data("b".utf8))).value
    #expect(response.statusCode == 200)
    #expect(tokens(transport) == ["Bearer t0", "Bearer t1"])
    #expect(transport.requests.allSatisfy { RequestSigner.accepts($0) })
  }

  @Test(
    "A redirect's request is signed anew, and one to another origin comes without the token",
    arguments: Signing.allCases)
  func redirect(signing: Signing) async throws {
    let transport = ScriptedTransport(
      .status(307, ["Location": "/b"]), .status(307, ["Location": "https://other.example/c"]),
      .status(200), on: scheduler)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: signing.over(transport), timeout: .seconds(3_600),
      session: .renewing(on: scheduler))
    _ = try await api.put(endpoint: "a", body: .data(Data("b".utf8))).value
    #expect(transport.requests.map { $0.url?.path } == ["/a", "/b", "/c"])
    #expect(tokens(transport) == ["Bearer t0", "Bearer t0", nil])
    #expect(transport.requests.allSatisfy { RequestSigner.accepts($0) })
    #expect(Set(transport.values(of: "Signature")).count == 3)
  }

  @Test("A retry's request is signed anew")
  func retry() {
    let transport = ScriptedTransport(.status(503), .status(503), .status(200), on: scheduler)
    let count = Counter()
    let stamped = transport.intercepted { exchange in
      count.add()
      exchange.request.setValue("\(count.value)", forHTTPHeaderField: "Nonce")
    }
    let call = begin(
      TestAPI(baseURL: TestAPI.origin, transport: stamped, retry: .test(scheduler)).get(
        endpoint: "a"))
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    #expect(transport.values(of: "Nonce") == ["1", "2", "3"])
  }

  // MARK: The forms of an exchange

  private static let url = "https://api.example.com/a"

  @Test("A response in pieces is asked for by a signed request", arguments: Signing.allCases)
  func events(signing: Signing) async throws {
    let stubs = StubTransport(.post, Self.url, result: .success(Data("answer".utf8)))
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: signing.over(stubs), session: .renewing(on: scheduler))
    let received = await api.events(.post, endpoint: "a", body: .data(Data("b".utf8))).received()
    #expect(received.data == Data("answer".utf8))
    #expect(received.failure == nil)
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "Authorization") == "Bearer t0")
    #expect(stubs.requests.allSatisfy { RequestSigner.accepts($0) })
    try stubs.verify()
  }

  @Test("Each connection of a live stream is signed")
  func liveStream() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.url), headers: ["Content-Type": "text/event-stream"],
        result: .success(Data("id: 1\ndata: x\n\n".utf8))
      ).repeats(2)
        .thenRespondWith(request: .init(.get, urlString: Self.url), statusCode: 204),
      scheduler: scheduler)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: stubs.intercepted(by: RequestSigner().sign))
    let policy = ReconnectPolicy(maxDelay: .seconds(3), retry: .unbudgeted(scheduler))
    let events = TestSubscriber<ServerSentEvent, any Error>()
    api.serverSentEvents(endpoint: "a", reconnecting: policy).receive(subscriber: events)
    scheduler.run()
    #expect(events.values.map(\.data) == ["x", "x"])
    #expect(stubs.requests.count == 3)
    #expect(stubs.requests.allSatisfy { RequestSigner.accepts($0) })
    try stubs.verify()
  }

  @Test("An upload's bytes are signed before they are sent: data, a file, and chunks")
  func upload() async throws {
    let folder = try TemporaryFolder()
    let bytes = patternedBody(150_000)
    let chunks = [bytes].publisher.setFailureType(to: (any Error).self)
    let bodies = [
      RequestBody.data(bytes), .file(try folder.file("body", bytes)),
      .chunks(chunks, isReplayable: true),
    ]
    for body in bodies {
      let stubs = StubTransport(.post, Self.url)
      let api = TestAPI(baseURL: TestAPI.origin, transport: Signing.awaiting.over(stubs))
      let last = try await api.upload(endpoint: "a", body: body).allValues.last
      guard case .response? = last else { throw TestFailure() }
      #expect(stubs.requests.first?.httpBody == bytes)
      #expect(stubs.requests.allSatisfy { RequestSigner.accepts($0) })
      try stubs.verify()
    }
  }

  @Test("A step sees an upload's bytes at once if they are in memory, and no bytes of a file")
  func uploadAtOnce() async throws {
    let folder = try TemporaryFolder()
    let stubs = StubTransport(.post, Self.url)
    let api = TestAPI(baseURL: TestAPI.origin, transport: Signing.atOnce.over(stubs))
    _ = try await api.upload(endpoint: "a", body: .data(Data("b".utf8))).allValues
    #expect(stubs.requests.allSatisfy { RequestSigner.accepts($0) })
    let file = try folder.file("body", Data("b".utf8))
    await #expect(throws: TestFailure(name: "not in memory")) {
      try await api.upload(endpoint: "a", body: .file(file)).allValues
    }
    #expect(stubs.requests.count == 1)
    try stubs.verify()
  }

  @Test("Chunks that exist only once are not sent if the step has read them")
  func chunksOnce() async throws {
    let chunks = [Data("b".utf8)].publisher.setFailureType(to: (any Error).self)
    let stubs = StubTransport()
    let api = TestAPI(baseURL: TestAPI.origin, transport: Signing.awaiting.over(stubs))
    let error = try #require(
      await #expect(throws: RESTError.self) {
        try await api.upload(endpoint: "a", body: .chunks(chunks)).allValues
      })
    #expect("\(error)".contains("isReplayable"))
    #expect(stubs.requests.isEmpty)
  }

  @Test("A download is asked for by a signed request", arguments: Signing.allCases)
  func download(signing: Signing) async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let stubs = StubTransport(.get, Self.url, result: .success(Data("answer".utf8)))
    _ = try await TestAPI(baseURL: TestAPI.origin, transport: signing.over(stubs)).download(
      endpoint: "a", to: file
    ).allValues
    #expect(try Data(contentsOf: file) == Data("answer".utf8))
    #expect(stubs.requests.allSatisfy { RequestSigner.accepts($0) })
    try stubs.verify()
  }
}
