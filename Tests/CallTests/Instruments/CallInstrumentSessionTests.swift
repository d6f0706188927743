import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("An instrument sees a session's refresh as a call made for another call", .leakFree)
struct CallInstrumentSessionTests {
  /// A grant that sends its request after a second.
  private struct LateGrant: TokenGrant {
    let grant: any TokenGrant
    let scheduler: TestScheduler

    func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
      Just(1).delay(for: .seconds(1), scheduler: scheduler)
        .setFailureType(to: GrantError.self)
        .flatMap { _ in grant.token(renewing: credential) }
        .eraseToAnyPublisher()
    }
  }

  private let scheduler = TestScheduler()
  private let transcript = Transcript()

  /// A server that takes `t1`, with a session that holds `t0`, both over one observed transport.
  private func world(
    expiresAt date: Date? = nil, refreshingLate isLate: Bool = false
  ) -> (api: TestAPI, session: TokenSession, end: AnyCancellable) {
    let server = TokenServer(scheduler: scheduler)
    server.expireTokens()
    server.delay("auth/refresh", by: .seconds(1))
    server.delay("a", by: .seconds(1))
    let transport = ObservedTransport(server, clock: scheduler)
    let end = transport.instrument(with: transcript)
    var grant: any TokenGrant = JSONRefreshGrant(
      baseURL: TokenServer.origin, transport: transport)
    if isLate { grant = LateGrant(grant: grant, scheduler: scheduler) }
    let session = TokenSession(
      grant: grant,
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r0", expiresAt: date)),
      scheduler: scheduler, date: { Date(timeIntervalSince1970: 1_000) })
    return (
      TestAPI(baseURL: TokenServer.origin, transport: transport, session: session), session, end
    )
  }

  private func begin(
    _ publisher: some Publisher<RESTResponse, any Error>
  ) -> TestSubscriber<RESTResponse, any Error> {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  @Test("A 401, the refresh and the repeated request are one call and a child call")
  func refusal() {
    let (api, _, end) = world()
    let call = begin(api.get(endpoint: "a"))
    scheduler.run()
    #expect(call.outcome == "200")
    #expect(
      transcript.lines == [
        "1 begins", "1 sends GET /a, attempt 1, first", "1 ends GET /a 401 (401)",
        "2 begins for 1", "2 sends POST /auth/refresh, attempt 1, first",
        "2 ends POST /auth/refresh 200", "2 ends", "1 sends GET /a, attempt 2, refresh",
        "1 ends GET /a 200", "1 ends",
      ])
    #expect(transcript.beginnings.map(\.resendCount) == [0, 0, 1])
    end.cancel()
  }

  @Test("A call that waits for its first token begins before it waits")
  func wait() {
    let (api, _, end) = world(expiresAt: Date(timeIntervalSince1970: 1))
    let call = begin(api.get(endpoint: "a"))
    #expect(
      transcript.lines == [
        "1 begins", "2 begins for 1", "2 sends POST /auth/refresh, attempt 1, first",
      ])
    #expect(transcript.ages == [.zero, .zero])
    scheduler.run()
    #expect(call.outcome == "200")
    #expect(transcript.lines.suffix(2) == ["1 ends GET /a 200", "1 ends"])
    end.cancel()
  }

  @Test("A retried call that waits for its first token begins before it waits")
  func retriedWait() {
    let (api, _, end) = world(expiresAt: Date(timeIntervalSince1970: 1))
    let calls = (0..<2).map { _ in
      begin(api.get(endpoint: "a").retry(RetryPolicy(scheduler: scheduler)))
    }
    // Two calls, and the refresh that both wait for.
    #expect(transcript.ages == [.zero, .zero, .zero])
    scheduler.run()
    #expect(calls.map(\.outcome) == ["200", "200"])
    #expect(transcript.ages.count == 3)
    end.cancel()
  }

  @Test("A call through TokenSession.authorize begins before it waits for its token")
  func operatorForm() {
    let (api, session, end) = world(expiresAt: Date(timeIntervalSince1970: 1))
    let plain = TestAPI(baseURL: TokenServer.origin, transport: api.transport)
    let calls = (0..<2).map { _ in begin(session.authorize(plain.get(endpoint: "a"))) }
    #expect(transcript.lines.prefix(2) == ["1 begins", "2 begins for 1"])
    scheduler.run()
    #expect(calls.map(\.outcome) == ["200", "200"])
    // So does the other one: its wait is part of its request's way.
    #expect(transcript.ages == [.zero, .zero, .zero])
    #expect(
      transcript.lines.filter { $0.hasSuffix("ends") }.sorted() == ["1 ends", "2 ends", "3 ends"])
    end.cancel()
  }

  @Test("A call that gets no token ends without an exchange")
  func noToken() {
    let (api, session, end) = world()
    try? session.signOut()
    let call = begin(api.get(endpoint: "a"))
    scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(transcript.lines == ["1 begins", "1 ends"])
    end.cancel()
  }

  @Test("A request chained to a 401 is a call made for the refused call")
  func chained() {
    let (api, _, end) = world()
    let plain = TestAPI(baseURL: TokenServer.origin, transport: api.transport)
    let call = begin(
      plain.get(endpoint: "a").retryOnceOnUnauthorizedResponse(
        chainedRequest: plain.post(endpoint: "auth/refresh", body: .data(Data()))))
    scheduler.run()
    #expect(call.outcome == "status(401)")
    #expect(transcript.lines.contains("2 begins for 1"))
    #expect(transcript.lines.last == "1 ends")
    end.cancel()
  }

  @Test("A call that is cancelled while it waits for a token ends once")
  func cancel() {
    let (api, _, end) = world(expiresAt: Date(timeIntervalSince1970: 1))
    let call = begin(api.get(endpoint: "a"))
    call.cancel()
    #expect(transcript.lines.filter { $0 == "1 ends" } == ["1 ends"])
    scheduler.run()
    #expect(transcript.lines.filter { $0.hasSuffix("ends") } == ["1 ends", "2 ends"])
    end.cancel()
  }

  @Test(
    "A refresh that sends its request after the cancel of its call is still a child of that call")
  func lateRefresh() {
    let (api, _, end) = world(expiresAt: Date(timeIntervalSince1970: 1), refreshingLate: true)
    begin(api.get(endpoint: "a")).cancel()
    #expect(transcript.lines == ["1 begins", "1 ends"])
    scheduler.run()
    #expect(
      transcript.lines.dropFirst(2) == [
        "2 begins for 1", "2 sends POST /auth/refresh, attempt 1, first",
        "2 ends POST /auth/refresh 200", "2 ends",
      ])
    end.cancel()
  }
}
