import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The table "What goes first" of the guide to composing.
@Suite("What each order of operators means", .leakFree)
struct OperatorOrderTests {
  private let scheduler = TestScheduler()

  /// A transport that refuses the tokens of the user until they are new.
  private func refusing(old: String = "Bearer t0") -> ScriptedTransport {
    ScriptedTransport(on: scheduler) { _, request in
      request.value(forHTTPHeaderField: "Authorization") == old ? .status(401) : .status(200)
    }
  }

  private func session(_ name: String = "t") throws -> TokenSession {
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "\(name)1")).setFailureType(to: (any Error).self)
      }, scheduler: scheduler)
    try session.signIn(Credential(accessToken: "\(name)0", refreshToken: "r"))
    return session
  }

  /// A wall clock that goes with the scheduler.
  private var date: @Sendable () -> Date {
    { [scheduler] in
      Date(timeIntervalSince1970: 784_111_777).addingTimeInterval(scheduler.now.inSeconds)
    }
  }

  /// A session that reads its store when it is first used, and whose refresh takes a second.
  private func session(expiringAfter lifetime: TimeInterval) -> TokenSession {
    TokenSession(
      grant: ClosureGrant { [scheduler] _ in
        Just(TokenResponse(accessToken: "t1", lifetime: .seconds(600)))
          .setFailureType(to: (any Error).self).delay(for: .seconds(1), scheduler: scheduler)
      },
      store: MemoryTokenStore(
        Credential(
          accessToken: "t0", refreshToken: "r", expiresAt: date().addingTimeInterval(lifetime))),
      scheduler: scheduler, date: date)
  }

  private func run<Value: Sendable>(
    _ call: some Publisher<Value, any Error>
  ) -> TestSubscriber<Value, any Error> {
    let subscriber = TestSubscriber<Value, any Error>()
    call.receive(subscriber: subscriber)
    scheduler.run()
    return subscriber
  }

  private func paths(_ transport: ScriptedTransport) -> [String] {
    transport.requests.compactMap { $0.url?.path }
  }

  @Test("TR-12: a refusal of the second request repeats the second alone")
  func second() throws {
    let transport = ScriptedTransport(
      .status(200), .status(401), .status(201), on: scheduler)
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport)
    let call = run(
      try session().authorize(
        api.get(endpoint: "a").flatMap { _ in api.get(endpoint: "b") }))
    #expect(call.values.map(\.statusCode) == [201])
    #expect(paths(transport) == ["/a", "/b", "/b"])
    #expect(transport.values(of: "Authorization") == ["Bearer t0", "Bearer t0", "Bearer t1"])
  }

  @Test(
    "TR-12: of requests side by side under one session each refused one is repeated, with one refresh"
  )
  func sideBySide() throws {
    let transport = ScriptedTransport(on: scheduler, taking: .seconds(1)) { _, request in
      let isOld = request.value(forHTTPHeaderField: "Authorization") == "Bearer t0"
      return isOld && request.url?.path != "/b" ? .status(401) : .status(200)
    }
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport)
    let call = run(
      try session().authorize(
        api.get(endpoint: "a").zip(api.get(endpoint: "b"), api.get(endpoint: "c")) {
          ($0.statusCode, $1.statusCode, $2.statusCode)
        }))
    #expect(call.values.map { [$0.0, $0.1, $0.2] } == [[200, 200, 200]])
    #expect(paths(transport).sorted() == ["/a", "/a", "/b", "/c", "/c"])
  }

  @Test("A failure of the second request makes a retry around both repeat both")
  func retryAroundBoth() {
    let transport = ScriptedTransport(
      .status(200), .status(503), .status(200), .status(201), on: scheduler)
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport)
    let call = run(
      api.get(endpoint: "a").flatMap { _ in api.get(endpoint: "b") }
        .retry(.test(scheduler)))
    #expect(call.values.map(\.statusCode) == [201])
    #expect(paths(transport) == ["/a", "/b", "/a", "/b"])
  }

  @Test("Of two sessions the one nearest to the verb applies, and an operator before the API's")
  func nearestSession() throws {
    let transport = refusing(old: "none")
    let (inner, outer) = (try session("i"), try session("o"))
    let plain = TestAPI(baseURL: TestAPI.origin, transport: transport)
    _ = run(outer.authorize(inner.authorize(plain.get(endpoint: "a"))))
    let owned = TestAPI(baseURL: TestAPI.origin, transport: transport, session: inner)
    _ = run(outer.authorize(owned.get(endpoint: "a")))
    _ = run(outer.authorize(owned.get(endpoint: "a", authorization: .none)))
    _ = run(owned.get(endpoint: "a", authorization: .none))
    #expect(
      transport.values(of: "Authorization") == ["Bearer i0", "Bearer o0", "Bearer o0", nil])
  }

  @Test("Of two sessions around a request only the nearest one sees its refusal")
  func nearestVerdict() throws {
    let transport = refusing(old: "Bearer i0")
    let (inner, outer) = (try session("i"), try session("o"))
    let call = run(
      outer.authorize(
        inner.authorize(TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a"))))
    #expect(call.values.map(\.statusCode) == [200])
    #expect(transport.values(of: "Authorization") == ["Bearer i0", "Bearer i1"])
  }

  @Test(
    "Of two caches or limiters the one nearest to the verb applies, and an operator before the API's"
  )
  func nearestOthers() {
    let transport = ScriptedTransport(
      .status(200, ["Cache-Control": "max-age=60"]), on: scheduler)
    let (near, far) = (HTTPCache(), HTTPCache())
    let closed = RateLimiter(1, per: .seconds(3_600), maxWaiting: 0, scheduler: scheduler)
    let open = RateLimiter(100, per: .seconds(1), scheduler: scheduler)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, rateLimiter: closed, cache: far)
    for _ in 1...3 {
      let call = run(
        api.get(endpoint: "a").cached(in: near).rateLimited(by: open)
          .cached(in: far).rateLimited(by: closed))
      #expect(call.values.map(\.statusCode) == [200])
    }
    #expect(transport.requests.count == 1)
    let other = run(
      TestAPI(baseURL: TestAPI.origin, transport: transport, cache: far).get(endpoint: "a"))
    #expect(other.values.map(\.isFromCache) == [false])
  }

  @Test("Of two modifiers both run, the one nearest to the verb first, before the token")
  func modifiers() async throws {
    let transport = refusing(old: "none")
    _ = try await session().authorize(
      TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a")
        .modifyRequest { $0.settingHeader("Trace", to: "near") }
        .modifyRequest { request in
          let trace = request.value(forHTTPHeaderField: "Trace") ?? ""
          #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
          return request.settingHeader("Trace", to: "\(trace) far")
        }
    ).value
    #expect(transport.values(of: "Trace") == ["near far"])
    #expect(transport.values(of: "Authorization") == ["Bearer t0"])
  }

  @Test("A session sees the server's response before a stage makes something else of it")
  func beforeStages() throws {
    let transport = ScriptedTransport(on: scheduler) { _, request in
      let isOld = request.value(forHTTPHeaderField: "Authorization") == "Bearer t0"
      return .status(200, body: Data((isOld ? #"{"error":"expired"}"# : #"{"n":1}"#).utf8))
    }
    var options = TokenSessionOptions()
    options.refusals = .errorCode(["expired"])
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "t1")).setFailureType(to: (any Error).self)
      }, options: options, scheduler: scheduler)
    try session.signIn(Credential(accessToken: "t0", refreshToken: "r"))
    let call = run(
      session.authorize(
        TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a").map(\.data)
          .decode(
            type: [String: Int].self, decoder: JSONDecoder())))
    #expect(call.values == [["n": 1]])
    #expect(transport.requests.count == 2)
  }

  @Test("TR-28: another user's sign-in between two requests of a pipeline ends it")
  func otherUser() throws {
    let transport = refusing(old: "none")
    let (api, session) = (TestAPI(baseURL: TestAPI.origin, transport: transport), try session())
    let call = run(
      session.authorize(
        api.get(endpoint: "a").tryMap { response in
          try session.signIn(Credential(accessToken: "u0"))
          return response
        }.flatMap { _ in api.get(endpoint: "b") }))
    guard case .signedOut = call.failure as? TokenSessionError else {
      Issue.record("\(String(describing: call.failure))")
      return
    }
    #expect(paths(transport) == ["/a"])
  }

  @Test("TR-28: a sign-in before the first request of a pipeline that begins later ends it")
  func otherUserBeforeTheFirst() throws {
    let transport = refusing(old: "none")
    let (api, session) = (TestAPI(baseURL: TestAPI.origin, transport: transport), try session())
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    session.authorize(
      Just(()).setFailureType(to: (any Error).self).delay(for: .seconds(1), scheduler: scheduler)
        .flatMap { api.get(endpoint: "a") }
    ).receive(subscriber: subscriber)
    try session.signIn(Credential(accessToken: "u0"))
    scheduler.run()
    #expect(subscriber.failure is TokenSessionError)
    #expect(transport.requests.isEmpty)
  }

  @Test("A chained request gets none of what its pipeline says about session, cache or place")
  func chained() throws {
    let transport = ScriptedTransport(
      .status(401), .status(200, ["Cache-Control": "max-age=60"]), .status(200), on: scheduler)
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport)
    let cache = HTTPCache()
    let call = run(
      api.get(endpoint: "a") { $0.settingHeader("Authorization", to: "Bearer own") }
        .retryOnceOnUnauthorizedResponse(chainedRequest: api.get(endpoint: "refresh"))
        .cached(in: cache).options {
          $0.prepare {
            $0.setValue("7", forHTTPHeaderField: "After"); return nil
          }
        })
    #expect(call.values.map(\.statusCode) == [200])
    #expect(transport.values(of: "After") == ["7", nil, "7"])
    #expect(transport.values(of: "Authorization") == ["Bearer own", nil, "Bearer own"])
  }

  @Test("TR-32: a redirect that the cache answers leads on with the token")
  func cachedRedirect() throws {
    let transport = ScriptedTransport(on: scheduler) { _, request in
      switch request.url?.path {
      case "/a": .status(302, ["Location": "/b"])
      case "/b": .status(301, ["Location": "/c", "Cache-Control": "max-age=100"])
      default: .status(200)
      }
    }
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: try session(), cache: HTTPCache())
    for _ in 1...2 { #expect(run(api.get(endpoint: "a")).values.map(\.statusCode) == [200]) }
    #expect(paths(transport) == ["/a", "/b", "/c", "/a", "/c"])
    #expect(
      transport.values(of: "Authorization") == Array(repeating: "Bearer t0", count: 5))
  }

  @Test(
    "TR-32: a redirect that the cache answers while the token is due leads on with the next one")
  func cachedRedirectWithoutToken() {
    let session = session(expiringAfter: 60)
    let transport = ScriptedTransport(on: scheduler) { _, request in
      request.url?.path == "/b"
        ? .status(301, ["Location": "/c", "Cache-Control": "max-age=600"]) : .status(200)
    }
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session, cache: HTTPCache(date: date))
    _ = run(api.get(endpoint: "b"))
    scheduler.advance(by: .seconds(70))
    _ = run(api.get(endpoint: "b"))
    #expect(paths(transport) == ["/b", "/c", "/c"])
    #expect(transport.values(of: "Authorization") == ["Bearer t0", "Bearer t0", "Bearer t1"])
  }

  @Test("A request that leaves with a token is not identical to one that leaves without it")
  func boundKey() throws {
    let request = URLRequest(url: try #require(URL(string: "https://api.example.com/a")))
    let span = SignInSpan(of: SessionTag())
    let keys = [true, false].map { isBound in
      SharedRequestKey(
        request, with: [:], as: { _ in RequestIdentity(principal: span.name) }, isBound: isBound)
    }
    #expect(keys[0] != nil && keys[0] != keys[1])
  }

  @Test("Of two changes that let a request go on, the one nearest to the verb runs first")
  func preparers() {
    let transport = refusing(old: "none")
    let call = TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a")
    let twice = ["near", "far"].reduce(call) { call, name in
      call.options { options in
        options.prepare { request in
          let before = request.value(forHTTPHeaderField: "Place") ?? ""
          request.setValue("\(before)\(name) ", forHTTPHeaderField: "Place")
          return nil
        }
      }
    }
    _ = run(twice)
    #expect(transport.values(of: "Place") == ["near far "])
  }

  @Test(
    "TR-16: a rule that refuses a download of status 200 leaves the file as it was until the next")
  func refusedDownload() throws {
    let transport = ScriptedTransport(on: scheduler) { _, request in
      request.value(forHTTPHeaderField: "Authorization") == "Bearer t0"
        ? .status(200, ["Expired": "1"], body: Data("refused".utf8))
        : .status(200, body: Data("new".utf8))
    }
    var options = TokenSessionOptions()
    options.refusals = RefusalRule { $0.headers["Expired"] != nil }
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "t1")).setFailureType(to: (any Error).self)
      }, options: options, scheduler: scheduler)
    try session.signIn(Credential(accessToken: "t0", refreshToken: "r"))
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let call = run(
      session.authorize(
        TestAPI(baseURL: TestAPI.origin, transport: transport).download(endpoint: "a", to: file)))
    #expect(transport.requests.count == 2)
    #expect(call.failure == nil)
    let lengths = call.values.compactMap { event in
      if case .progress(let progress) = event { progress.completedBytes } else { nil }
    }
    #expect(lengths.max() == 3)
    #expect(try Data(contentsOf: file) == Data("new".utf8))
  }

  @Test(
    "RT-14: equal requests side by side keep their keys if the session's store was not read before")
  func unreadTwins() {
    let session = session(expiringAfter: 1)
    let transport = ScriptedTransport(.status(503), .status(503), .status(200), on: scheduler)
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport)
    let twins = ["one", "two"].map { name in
      session.authorize(
        api.post(endpoint: "a", headers: ["Name": name]) {
          $0.settingHeader("Idempotency-Key", to: UUID().uuidString)
        })
    }
    _ = run(twins[0].zip(twins[1]) { $1 }.validateStatus().retry(.test(scheduler)))
    for name in ["one", "two"] {
      let sent = transport.requests.filter { $0.value(forHTTPHeaderField: "Name") == name }
      #expect(Set(sent.map { $0.value(forHTTPHeaderField: "Idempotency-Key") }).count == 1)
      #expect(!sent.isEmpty)
    }
  }
}
