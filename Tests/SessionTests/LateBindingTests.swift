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

/// A server and a session on virtual time, whose tokens live ten seconds.
@Suite("The token of the moment at which a request leaves", .leakFree)
struct LateBindingTests {
  private final class Server: Sendable {
    let scheduler: TestScheduler
    private let issued = Lock<[String: Duration]>(["t0": .zero])

    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    func issue() -> String {
      let now = scheduler.now
      return issued.withLock { issued in
        let token = "t\(issued.count)"
        issued[token] = now
        return token
      }
    }

    var count: Int { issued.withLock { $0.count } }

    func accepts(_ request: URLRequest) -> Bool {
      guard let field = request.value(forHTTPHeaderField: "Authorization") else { return false }
      let now = scheduler.now
      return issued.withLock { issued in
        issued[String(field.dropFirst(7))].map { now < $0 + .seconds(10) } ?? false
      }
    }
  }

  private let scheduler = TestScheduler()
  private let server: Server

  init() { server = Server(scheduler) }

  private func session(
    _ grant: (@Sendable () -> AnyPublisher<TokenResponse, any Error>)? = nil
  ) -> TokenSession {
    let (server, scheduler) = (server, scheduler)
    let begin = Date(timeIntervalSince1970: 784_111_777)
    let token: @Sendable () -> AnyPublisher<TokenResponse, any Error> =
      grant ?? {
        Deferred {
          Just(TokenResponse(accessToken: server.issue(), lifetime: .seconds(10)))
            .setFailureType(to: (any Error).self)
        }.eraseToAnyPublisher()
      }
    return TokenSession(
      grant: ClosureGrant { _ in token() },
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r", expiresAt: begin + 10)),
      options: {
        var options = TokenSessionOptions()
        options.leeway = .seconds(1)
        return options
      }(),
      scheduler: scheduler,
      date: { begin + Double(scheduler.now.components.seconds) })
  }

  /// Busy for the first answers, then as the token deserves.
  private func transport(
    busy: Int = 0, with status: Int = 503, taking: Duration = .zero
  ) -> ScriptedTransport {
    let server = server
    return ScriptedTransport(on: scheduler, taking: taking) { number, request in
      guard server.accepts(request) else { return .status(401) }
      return number <= busy ? .status(status, ["Retry-After": "20"]) : .status(200)
    }
  }

  private func tokens(_ transport: ScriptedTransport) -> [String] {
    transport.values(of: "Authorization").map { $0.map { String($0.dropFirst(7)) } ?? "-" }
  }

  /// The session and the retry, each as an operator or as a property of the API.
  enum Nesting: CaseIterable, Sendable {
    case sessionOutside, retryOutside, properties, sessionAroundProperty, retryAroundProperty
  }

  private func call(_ nesting: Nesting, _ session: TokenSession, _ transport: any Transport)
    -> AnyPublisher<RESTResponse, any Error>
  {
    let policy = RetryPolicy.test(scheduler)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport,
      session: [.properties, .retryAroundProperty].contains(nesting) ? session : nil,
      retry: [.properties, .sessionAroundProperty].contains(nesting) ? policy : nil)
    let verb = api.get(endpoint: "a")
    return switch nesting {
    case .sessionOutside: session.authorize(verb.retry(policy))
    case .retryOutside: session.authorize(verb).retry(policy)
    case .properties: verb
    case .sessionAroundProperty: session.authorize(verb)
    case .retryAroundProperty: verb.retry(policy)
    }
  }

  @Test(
    "A retry whose wait outlives the token carries a new one", arguments: Nesting.allCases,
    [429, 503])
  func retry(nesting: Nesting, status: Int) {
    let transport = transport(busy: 1, with: status)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    call(nesting, session(), transport).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(tokens(transport) == ["t0", "t1"])
    #expect(server.count == 2)
  }

  @Test(
    "A retry in pieces whose wait outlives the token carries a new one", arguments: [true, false])
  func retryInPieces(isRetryOutside: Bool) throws {
    let policy = RetryPolicy.test(scheduler)
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "file")
    func run<Value: Sendable>(
      _ verb: (TestAPI) -> AnyPublisher<Value, any Error>,
      _ retry: (AnyPublisher<Value, any Error>) -> AnyPublisher<Value, any Error>
    ) -> [String] {
      let busy = Lock(true)
      let transport = ScriptedTransport(on: scheduler) { [server] _, request in
        guard server.accepts(request) else { return .status(401) }
        let isBusy = busy.withLock { busy in
          defer { busy = false }
          return busy
        }
        return isBusy ? .status(429, ["Retry-After": "20"]) : .status(200)
      }
      let (session, subscriber) = (session(), TestSubscriber<Value, any Error>())
      let verb = verb(TestAPI(baseURL: TestAPI.origin, transport: transport))
      let call =
        isRetryOutside ? retry(session.authorize(verb)) : session.authorize(retry(verb))
      call.receive(subscriber: subscriber)
      scheduler.run()
      #expect(subscriber.isFinished)
      return tokens(transport)
    }
    #expect(run({ $0.events(endpoint: "a") }, { $0.retry(policy) }) == ["t0", "t1"])
    // The sessions begin with a token that has expired since.
    let body = RequestBody.data(Data("x".utf8))
    #expect(
      run({ $0.upload(.put, endpoint: "a", body: body) }, { $0.retry(policy) }) == ["t2", "t3"])
    #expect(run({ $0.download(endpoint: "a", to: file) }, { $0.retry(policy) }) == ["t4", "t5"])
  }

  @Test("Two waits of two token lives end well", arguments: Nesting.allCases)
  func twoWaits(nesting: Nesting) {
    let server = server
    let busy = Lock(2)
    let transport = ScriptedTransport(on: scheduler) { _, request in
      guard server.accepts(request) else { return .status(401) }
      return busy.withLock { left in
        defer { left -= 1 }
        return left > 0 ? .status(503, ["Retry-After": "20"]) : .status(200)
      }
    }
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    call(nesting, session(), transport).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(tokens(transport) == ["t0", "t1", "t2"])
  }

  @Test("A retry carries the token that another call has renewed", arguments: Nesting.allCases)
  func renewedMeanwhile(nesting: Nesting) {
    let transport = transport(busy: 1)
    let (session, subscriber) = (session(), TestSubscriber<RESTResponse, any Error>())
    call(nesting, session, transport).receive(subscriber: subscriber)
    scheduler.advance(by: .seconds(15))
    let other = TestSubscriber<RESTResponse, any Error>()
    session.authorize(TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "b"))
      .receive(subscriber: other)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(tokens(transport) == ["t0", "t1", "t1"])
  }

  @Test("First the turn, then the token")
  func limiter() {
    let transport = transport()
    let limiter = RateLimiter(1, per: .seconds(12), burst: 1, scheduler: scheduler)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session(), rateLimiter: limiter)
    let calls = (0..<4).map { _ in TestSubscriber<RESTResponse, any Error>() }
    for call in calls { api.get(endpoint: "a").receive(subscriber: call) }
    scheduler.run()
    #expect(calls.allSatisfy { $0.values.map(\.statusCode) == [200] })
    #expect(transport.times == [.zero, .seconds(12), .seconds(24), .seconds(36)])
    #expect(tokens(transport) == ["t0", "t1", "t2", "t3"])
  }

  /// An API whose turns come every 12 seconds, at a server whose tokens live for a day.
  ///
  /// The server revokes the first one.
  private func revoking() -> (api: TestAPI, transport: ScriptedTransport) {
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "t1", lifetime: .seconds(86_400)))
          .setFailureType(to: (any Error).self)
      }, store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: scheduler)
    // The others are in line before the first one is refused.
    let transport = ScriptedTransport(on: scheduler, taking: .seconds(1)) { _, request in
      .status(request.value(forHTTPHeaderField: "Authorization") == "Bearer t0" ? 401 : 200)
    }
    let limiter = RateLimiter(1, per: .seconds(12), burst: 1, scheduler: scheduler)
    return (
      TestAPI(
        baseURL: TestAPI.origin, transport: transport, session: session, rateLimiter: limiter),
      transport
    )
  }

  @Test("The repetition of a refused request goes to the head of the limiter's line")
  func refusedAtItsTurn() {
    let (api, transport) = revoking()
    let calls = ["a", "b", "c"].map { path in
      let call = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: path).receive(subscriber: call)
      return call
    }
    scheduler.run()
    #expect(calls.allSatisfy { $0.values.map(\.statusCode) == [200] })
    #expect(transport.requests.compactMap { $0.url?.path } == ["/a", "/a", "/b", "/c"])
    #expect(tokens(transport) == ["t0", "t1", "t1", "t1"])
  }

  /// An API whose turns come every 12 seconds, at a server of tokens that live ten.
  private func limited(
    over transport: ScriptedTransport, cache: HTTPCache? = nil, coalescer: RequestCoalescer? = nil
  ) -> TestAPI {
    TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session(),
      rateLimiter: RateLimiter(1, per: .seconds(12), burst: 1, scheduler: scheduler),
      cache: cache, coalescer: coalescer)
  }

  @Test("A repetition goes before the requests whose token expired in the limiter's line")
  func refusedBeforeOthersThatReturn() {
    let transport = ScriptedTransport(on: scheduler, taking: .seconds(1)) { number, _ in
      .status(number == 2 ? 401 : 200)
    }
    let api = limited(over: transport)
    let calls = ["a", "b", "c", "d"].map { path in
      let call = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: path).receive(subscriber: call)
      return call
    }
    scheduler.run()
    #expect(calls.allSatisfy { $0.values.map(\.statusCode) == [200] })
    #expect(transport.requests.compactMap { $0.url?.path } == ["/a", "/b", "/b", "/c", "/d"])
  }

  @Test("Each redirect that waits for its turn leaves with the token of that moment")
  func redirects() {
    let server = server
    let transport = ScriptedTransport(on: scheduler) { _, request in
      guard server.accepts(request) else { return .status(401) }
      return switch request.url?.path {
      case "/a": .status(302, ["Location": "/b"])
      case "/b": .status(302, ["Location": "/c"])
      default: .status(200)
      }
    }
    let api = limited(over: transport)
    let (whole, pieces) = (
      TestSubscriber<RESTResponse, any Error>(), TestSubscriber<TransferEvent, any Error>()
    )
    api.get(endpoint: "a").receive(subscriber: whole)
    scheduler.run()
    #expect(whole.values.map(\.statusCode) == [200])
    #expect(tokens(transport) == ["t0", "t1", "t2"])
    api.events(endpoint: "a").receive(subscriber: pieces)
    scheduler.run()
    #expect(pieces.isFinished)
    #expect(tokens(transport).dropFirst(3) == ["t3", "t4", "t5"])
  }

  @Test("A redirect that comes after the token's end leads on with a new one")
  func slowRedirect() {
    let server = server
    let transport = ScriptedTransport(on: scheduler, taking: .seconds(15)) { _, request in
      guard server.accepts(request) else { return .status(401) }
      return request.url?.path == "/a" ? .status(307, ["Location": "/b"]) : .status(200)
    }
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    session().authorize(TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a"))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(tokens(transport) == ["t0", "t1"])
  }

  @Test(
    "A shared exchange takes one turn, with the token of that moment", arguments: [true, false])
  func sharedExchange(hasCache: Bool) {
    let transport = transport(taking: .milliseconds(100))
    let date: @Sendable () -> Date = { [scheduler] in
      Date(timeIntervalSince1970: 784_111_777) + Double(scheduler.now.components.seconds)
    }
    let api = limited(
      over: transport, cache: hasCache ? HTTPCache(date: date) : nil,
      coalescer: RequestCoalescer())
    let calls = ["a", "b", "b", "b"].map { path in
      let call = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: path).receive(subscriber: call)
      return call
    }
    scheduler.run()
    #expect(calls.allSatisfy { $0.values.map(\.statusCode) == [200] })
    #expect(transport.requests.compactMap { $0.url?.path } == ["/a", "/b"])
    #expect(tokens(transport) == ["t0", "t1"])
  }

  @Test("A modifier that takes longer than the token's rest sends the next one")
  func slowModifier() async throws {
    let transport = transport()
    let call = session().authorize(
      TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a")
        .modifyRequest { [scheduler] request in
          // The token expires while the closure works.
          scheduler.advance(by: .seconds(15))
          return request
        })
    #expect(try await call.value.statusCode == 200)
    #expect(tokens(transport) == ["t1"])
  }

  @Test("A turn that waits for a token does not hold up the refresh that needs a turn")
  func probe() {
    let server = server
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(100)) {
      number, request in
      if request.httpMethod == "POST" { return .status(204) }
      if number == 1 { return .status(429, ["Retry-After": "20"]) }
      return .status(server.accepts(request) ? 200 : 401)
    }
    let limiter = RateLimiter(10, per: .seconds(1), scheduler: scheduler)
    let plain = TestAPI(baseURL: TestAPI.origin, transport: transport, rateLimiter: limiter)
    let session = session {
      plain.post(endpoint: "token", body: nil).map { _ in
        TokenResponse(accessToken: server.issue(), lifetime: .seconds(10))
      }.eraseToAnyPublisher()
    }
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session, rateLimiter: limiter)
    let calls = (0..<3).map { _ in TestSubscriber<RESTResponse, any Error>() }
    api.get(endpoint: "a").receive(subscriber: calls[0])
    scheduler.advance(by: .seconds(1))
    api.get(endpoint: "b").receive(subscriber: calls[1])
    api.get(endpoint: "c").receive(subscriber: calls[2])
    scheduler.advance(by: .seconds(30))
    #expect(calls[1].values.map(\.statusCode) == [200])
    #expect(calls[2].values.map(\.statusCode) == [200])
    #expect(calls[1].failure == nil, "\(String(describing: calls[1].failure))")
    scheduler.run()
  }

  @Test("A call whose refreshed tokens never live until its turn fails, and says why")
  func stuck() throws {
    let server = server
    let transport = ScriptedTransport(on: scheduler) { _, request in
      if request.httpMethod == "POST" { return .status(204) }
      return .status(server.accepts(request) ? 200 : 401)
    }
    let limiter = RateLimiter(1, per: .seconds(12), burst: 1, scheduler: scheduler)
    let plain = TestAPI(baseURL: TestAPI.origin, transport: transport, rateLimiter: limiter)
    let session = session {
      plain.post(endpoint: "token", body: nil).map { _ in
        TokenResponse(accessToken: server.issue(), lifetime: .seconds(10))
      }.eraseToAnyPublisher()
    }
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session, rateLimiter: limiter)
    let calls = (0..<2).map { _ in TestSubscriber<RESTResponse, any Error>() }
    for call in calls { api.get(endpoint: "a").receive(subscriber: call) }
    scheduler.run()
    #expect(calls[0].values.map(\.statusCode) == [200])
    let error = try #require(calls[1].failure as? RESTError)
    #expect(error.kind == .rateLimit)
    #expect("\(error)".contains("3 tokens in a row expired"))
    #expect(tokens(transport).filter { $0 != "-" } == ["t0"])
  }

  @Test(
    "After a sign-out, a redirect within the origin fails, and one to another origin is followed",
    arguments: [false, true])
  func signedOutOnTheWay(isElsewhere: Bool) throws {
    let location = isElsewhere ? "https://other.example/x" : "https://api.example.com/x"
    let transport = ScriptedTransport(
      .status(307, ["Location": location]), .status(200), on: scheduler, taking: .seconds(1))
    let (session, subscriber) = (session(), TestSubscriber<RESTResponse, any Error>())
    session.authorize(TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a"))
      .receive(subscriber: subscriber)
    try session.signOut()
    scheduler.run()
    #expect(tokens(transport) == (isElsewhere ? ["t0", "-"] : ["t0"]))
    #expect(subscriber.values.map(\.statusCode) == (isElsewhere ? [200] : []))
    let isSignedOut =
      if case .signedOut? = subscriber.failure as? TokenSessionError { true } else { false }
    #expect(isSignedOut != isElsewhere)
  }

  @Test("TR-32 A token that a redirect dropped is not put on when another one leads back")
  func thereAndBack() {
    let transport = ScriptedTransport(
      .status(307, ["Location": "https://other.example/x"]),
      .status(307, ["Location": "https://api.example.com/back"]), .status(200), on: scheduler)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    session().authorize(TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a"))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(tokens(transport) == ["t0", "-", "-"])
  }

  @Test("A kept response needs no token: a user's fresh response comes while the refresh fails")
  func cached() {
    let answers = ScriptedTransport.ServerResponse.status(200, ["Cache-Control": "max-age=100"])
    let transport = ScriptedTransport(answers, on: scheduler)
    let session = session {
      Fail(error: TestFailure(name: "offline")).eraseToAnyPublisher()
    }
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session,
      cache: HTTPCache(date: { Date(timeIntervalSince1970: 784_111_777) }))
    let calls = (0..<2).map { _ in TestSubscriber<RESTResponse, any Error>() }
    api.get(endpoint: "a").receive(subscriber: calls[0])
    scheduler.advance(by: .seconds(12))
    api.get(endpoint: "a").receive(subscriber: calls[1])
    scheduler.run()
    #expect(calls.map { $0.values.map(\.statusCode) } == [[200], [200]])
    #expect(transport.requests.count == 1)
  }
}
