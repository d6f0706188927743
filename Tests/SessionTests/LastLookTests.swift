import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPTransport
@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport in virtual time in whose line each request waits, and is then looked at again.
private final class LineTransport: Transport {
  private struct State {
    var requests: [URLRequest] = []
    var times: [Duration] = []
    var looks = 0
  }

  private let scheduler: TestScheduler
  private let waits: [Duration]
  private let answer: @Sendable (Int, URLRequest) -> ScriptedTransport.ServerResponse
  private let state = Lock(State())

  /// - Parameter waits: How long the requests wait, each in turn, and all later ones as the last.
  init(
    on scheduler: TestScheduler, waits: [Duration],
    answer: @escaping @Sendable (Int, URLRequest) -> ScriptedTransport.ServerResponse
  ) {
    (self.scheduler, self.waits, self.answer) = (scheduler, waits, answer)
  }

  /// The requests that were sent.
  var requests: [URLRequest] { state.withLock { $0.requests } }
  var times: [Duration] { state.withLock { $0.times } }
  var tokens: [String] {
    requests.map { ($0.value(forHTTPHeaderField: "Authorization") ?? "Bearer -").dropFirst(7) }
      .map { String($0) }
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { [self] context in
      let number = state.withLock { state in
        state.looks += 1
        return state.looks
      }
      return Single { [self] resolve in
        scheduler.schedule(after: waits[min(number, waits.count) - 1]) { [self] in
          resolve(Result { try send(request, context[LastLook.Key.self]) })
        }
      }
    }
    .eraseToAnyPublisher()
  }

  private func send(_ request: URLRequest, _ look: LastLook?) throws -> RESTResponse {
    var request = request
    switch look?.verdict(on: request) {
    case .authorization(let value): request.setValue(value, forHTTPHeaderField: "Authorization")
    case .heldBack: throw RESTError(TransportError.heldBack, request: RequestSummary(request))
    case .unchanged, nil: break
    }
    let now = scheduler.now
    let number = state.withLock { [request] state in
      state.requests.append(request)
      state.times.append(now)
      return state.requests.count
    }
    guard case .status(let status, let headers, let body) = answer(number, request) else {
      throw TestFailure()
    }
    return try RESTResponse(to: request, status: status, headers: headers, data: body)
  }
}

/// A transport that answers at once, and counts the requests that it could look at again.
private final class LookCountingTransport: Transport {
  let looks = Counter()

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { [looks] context in
      if context[LastLook.Key.self] != nil { looks.add() }
      return Result { try RESTResponse(to: request, status: 200, headers: [:], data: Data()) }
        .publisher
    }
    .eraseToAnyPublisher()
  }
}

@Suite("The token of the moment at which a transport has a place for a request", .leakFree)
struct LastLookTests {
  private typealias Call = TestSubscriber<RESTResponse, any Error>

  private let scheduler = TestScheduler()

  /// A session whose tokens t0, t1 and so on live ten seconds.
  private func session() -> TokenSession {
    let begin = Date(timeIntervalSince1970: 784_111_777)
    let count = Counter()
    return TokenSession(
      grant: ClosureGrant { _ in
        count.add()
        return Just(TokenResponse(accessToken: "t\(count.value)", lifetime: .seconds(10)))
          .setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r", expiresAt: begin + 10)),
      options: {
        var options = TokenSessionOptions()
        options.leeway = .seconds(1)
        return options
      }(), scheduler: scheduler,
      date: { [scheduler] in begin + Double(scheduler.now.components.seconds) })
  }

  private func line(
    _ waits: Int...,
    answer: @escaping @Sendable (Int, URLRequest) -> ScriptedTransport.ServerResponse = { _, _ in
      .status(200)
    }
  ) -> LineTransport {
    LineTransport(on: scheduler, waits: waits.map { .seconds($0) }, answer: answer)
  }

  private func begin(_ call: some Publisher<RESTResponse, any Error>) -> Call {
    let subscriber = Call()
    call.receive(subscriber: subscriber)
    return subscriber
  }

  @Test("A request whose token expired in the transport's line waits for the next one")
  func expired() throws {
    let transport = line(15, 0)
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport, session: session())
    let call = begin(api.get(endpoint: "a"))
    scheduler.run()
    #expect(transport.tokens == ["t1"])
    let log = try #require(call.values.first?.journal?.log).events.map(\.description)
    #expect(log.contains { $0.contains("its token expired while it waited for a connection") })
    #expect(log.contains("sent, attempt 2, after a refresh"))
  }

  @Test("It leaves with the token that another call has renewed, and answers for that one")
  func renewed() {
    // The server revokes t1 later, and so the call needs t2.
    let transport = line(15, 0) { _, request in
      request.value(forHTTPHeaderField: "Authorization") == "Bearer t1"
        ? .status(401) : .status(200)
    }
    let session = session()
    let call = begin(
      TestAPI(baseURL: TestAPI.origin, transport: transport, session: session).get(endpoint: "a"))
    scheduler.advance(by: .seconds(14))
    let other = begin(
      TestAPI(
        baseURL: TestAPI.origin, transport: ScriptedTransport(.status(200), on: scheduler),
        session: session
      ).get(endpoint: "b"))
    scheduler.run()
    #expect(other.values.count == 1)
    #expect(call.values.map(\.statusCode) == [200])
    #expect(transport.tokens == ["t1", "t2"])
    #expect(transport.times == [.seconds(15), .seconds(15)])
  }

  @Test("After a sign-out nothing is sent")
  func signedOut() throws {
    let transport = line(15)
    let session = session()
    let call = begin(
      TestAPI(baseURL: TestAPI.origin, transport: transport, session: session).get(endpoint: "a"))
    try session.signOut()
    scheduler.run()
    #expect(transport.requests.isEmpty)
    #expect(call.failure is TokenSessionError)
  }

  @Test("A request that a step has changed leaves as the step has left it")
  func changed() {
    let transport = line(15)
    let signing = transport.intercepted { exchange in
      exchange.request = exchange.request.settingHeader("Signature", to: "of t0")
    }
    _ = begin(
      TestAPI(baseURL: TestAPI.origin, transport: signing, session: session()).get(endpoint: "a"))
    scheduler.run()
    #expect(transport.tokens == ["t0"])
  }

  @Test("A request that a task has changed can be looked at again, too")
  func changedInTask() async throws {
    let transport = LookCountingTransport()
    let get = TestAPI(baseURL: TestAPI.origin, transport: transport, session: session())
      .get(endpoint: "a")
    _ = try await get.value
    #expect(transport.looks.value == 1)
    _ = try await get.modifyRequest { request in request.settingHeader("A", to: "1") }.value
    #expect(transport.looks.value == 2)
  }

  @Test("An authorization of the user's own is kept")
  func own() {
    let transport = line(15)
    _ = begin(
      TestAPI(baseURL: TestAPI.origin, transport: transport, session: session())
        .get(endpoint: "a") { $0.settingHeader("Authorization", to: "Bearer own") })
    scheduler.run()
    #expect(transport.tokens == ["own"])
  }

  @Test("The turn of a request that is held back goes to the next, and it returns to the head")
  func limiter() {
    let transport = line(15, 0)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session(),
      rateLimiter: RateLimiter(1, per: .seconds(20), burst: 1, scheduler: scheduler))
    let calls = ["a", "b"].map { begin(api.get(endpoint: $0)) }
    scheduler.run()
    #expect(calls.allSatisfy { $0.values.map(\.statusCode) == [200] })
    #expect(transport.requests.compactMap { $0.url?.path } == ["/a", "/b"])
    // The turn of the beginning was lost with the time.
    #expect(transport.times == [.seconds(15), .seconds(35)])
    #expect(transport.tokens == ["t1", "t2"])
  }

  @Test(
    "Callers of a shared exchange share the request that was held back", arguments: [true, false])
  func shared(hasCache: Bool) {
    let transport = line(15, 0)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session(),
      cache: hasCache ? HTTPCache() : nil, coalescer: RequestCoalescer())
    let calls = (0..<3).map { _ in begin(api.get(endpoint: "a")) }
    scheduler.run()
    #expect(calls.allSatisfy { $0.values.map(\.statusCode) == [200] })
    #expect(transport.tokens == ["t1"])
  }

  @Test("A redirect that waits in the line leaves with the token of its place")
  func redirect() {
    let transport = line(0, 15, 0) { _, request in
      request.url?.path == "/a" ? .status(307, ["Location": "/b"]) : .status(200)
    }
    let call = begin(
      TestAPI(baseURL: TestAPI.origin, transport: transport, session: session()).get(endpoint: "a"))
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    #expect(transport.tokens == ["t0", "t1"])
  }

  @Test("A response in pieces, too")
  func pieces() {
    let transport = line(15, 0)
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    TestAPI(baseURL: TestAPI.origin, transport: transport, session: session())
      .events(endpoint: "a").receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.isFinished)
    #expect(transport.tokens == ["t1"])
  }

  @Test("What was held back is no attempt of a retry")
  func attempts() {
    let transport = line(15, 0) { number, _ in .status(number == 1 ? 503 : 200) }
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session(),
      retry: .test(scheduler) { $0.maxAttempts = 2 })
    let call = begin(api.get(endpoint: "a"))
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    #expect(transport.tokens == ["t1", "t1"])
  }

  @Test("What was held back and then throttled gives back one attempt, not two")
  func throttled() {
    // The first request is held back, and the next ones wait shortly.
    let transport = line(15, 0) { number, _ in
      number == 1 ? .status(429, ["Retry-After": "2"]) : .status(503)
    }
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport, session: session(),
      retry: .test(scheduler) { $0.maxAttempts = 2 })
    let call = begin(api.get(endpoint: "a"))
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [503])
    #expect(transport.requests.count == 3)
  }

  @Test(
    "A POST that was held back was not sent, and so it may be retried after a refused connection")
  func post() {
    let transport = line(15, 0)
    let call = begin(
      TestAPI(
        baseURL: TestAPI.origin, transport: transport, session: session(), retry: .test(scheduler)
      ).post(endpoint: "a", body: nil))
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    #expect(transport.tokens == ["t1"])
  }

  @Test("If no token lives until the place, the server decides about the last one")
  func never() {
    let transport = line(15) { _, request in .status(401) }
    let call = begin(
      TestAPI(baseURL: TestAPI.origin, transport: transport, session: session()).get(endpoint: "a"))
    scheduler.run()
    #expect((call.failure as? RESTError)?.isUnauthorized == true)
    #expect(transport.requests.count <= 2)
    #expect(transport.times.first == .seconds(60))
  }

  @Test("The session's own request for a token asks for the place that no other may take")
  func urgent() async throws {
    let isUrgent = Lock(false)
    let grant = ClosureGrant { _ in
      DeferredInContext { context in
        isUrgent.withLock { $0 = context[UrgentExchange.self] }
        return Just(TokenResponse(accessToken: "t1", lifetime: .seconds(60)))
          .setFailureType(to: (any Error).self)
      }
    }
    let session = TokenSession(
      grant: grant,
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r", expiresAt: .distantPast)))
    let transport = ClosureTransport { .status(200, to: $0) }
    _ = try await TestAPI(transport: transport, session: session).get(endpoint: "a").value
    #expect(isUrgent.withLock { $0 })
  }
}
