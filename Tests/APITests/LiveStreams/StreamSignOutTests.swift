import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("A sign-out in the pause between two attempts", .leakFree)
struct StreamSignOutTests {
  private let scheduler = TestScheduler()
  private let session: TokenSession

  init() {
    session = TokenSession(
      grant: ClosureGrant { _ in Empty<TokenResponse, any Error>() },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: scheduler)
  }

  private func isSignedOut(_ error: (any Error)?) -> Bool {
    if case .signedOut? = error as? TokenSessionError { true } else { false }
  }

  private func stubs(_ pieces: [StubPiece], status: Int = 200, end: BodyEnd) -> StubTransport {
    StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: LiveFeed.url), statusCode: status,
        headers: LiveFeed.type, pieces: pieces, end: end
      ).always(), scheduler: scheduler)
  }

  private var policy: RetryPolicy {
    var policy = RetryPolicy.unbudgeted(scheduler)
    policy.baseDelay = .seconds(10)
    policy.maxDelay = .seconds(10)
    policy.generator = TopGenerator()
    return policy
  }

  private var reconnecting: ReconnectPolicy {
    ReconnectPolicy(delay: .seconds(10), maxDelay: .seconds(10), retry: .unbudgeted(scheduler))
  }

  /// What a call does before its pause, which the user leaves.
  private func check<Output>(
    _ values: AnyPublisher<Output, any Error>, _ stubs: StubTransport, brought count: Int
  ) throws {
    let subscriber = TestSubscriber<Output, any Error>()
    values.receive(subscriber: subscriber)
    scheduler.advance(by: .seconds(4))
    #expect(subscriber.values.count == count)
    #expect(stubs.requests.count == 1)
    #expect(subscriber.failure == nil && !subscriber.isFinished)
    try session.signOut()
    #expect(subscriber.failure == nil)
    scheduler.advance(by: .zero)
    #expect(isSignedOut(subscriber.failure))
    #expect(stubs.requests.count == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test(
    "It ends a stream of events at once, wherever the session stands", arguments: [false, true])
  func events(isInside: Bool) throws {
    let stubs = stubs(["data: a\n\n"], end: .cut)
    let api = TestAPI(transport: stubs, session: isInside ? session : nil)
    let events = api.serverSentEvents(endpoint: "feed", reconnecting: reconnecting)
    try check(
      isInside ? events : session.authorize(events).eraseToAnyPublisher(), stubs, brought: 1)
  }

  @Test("It ends a stream that resumes, and a call that is retried")
  func retried() throws {
    let stream = stubs(["1\n"], end: .cut)
    try check(
      TestAPI(transport: stream, session: session).events(endpoint: "feed")
        .decodeLines(of: Int.self).retry(policy) { request, _ in request }.eraseToAnyPublisher(),
      stream, brought: 1)
    try session.signIn(Credential(accessToken: "t1", refreshToken: "r"))
    let busy = stubs([], status: 503, end: .complete)
    try check(
      TestAPI(transport: busy, session: session, retry: policy).get(endpoint: "feed"), busy,
      brought: 0)
  }

  @Test("Another user's sign-in in the pause ends the stream of the first one")
  func otherUser() throws {
    let feed = stubs(["data: a\n\n"], end: .cut)
    let subscriber = TestSubscriber<ServerSentEvent, any Error>()
    TestAPI(transport: feed, session: session)
      .serverSentEvents(endpoint: "feed", reconnecting: reconnecting)
      .receive(subscriber: subscriber)
    scheduler.advance(by: .seconds(4))
    try session.signIn(Credential(accessToken: "t1", refreshToken: "r"))
    scheduler.advance(by: .zero)
    #expect(isSignedOut(subscriber.failure))
    #expect(feed.requests.count == 1)
  }

  @Test(
    "After a sign-out during a connection, the stream ends with the connection, without a pause")
  func duringConnection() throws {
    let feed = stubs(["data: a\n\n", .after(.seconds(5), "data: b\n\n")], end: .cut)
    let subscriber = TestSubscriber<ServerSentEvent, any Error>()
    TestAPI(transport: feed, session: session)
      .serverSentEvents(endpoint: "feed", reconnecting: reconnecting)
      .receive(subscriber: subscriber)
    scheduler.advance(by: .seconds(1))
    try session.signOut()
    scheduler.advance(by: .seconds(3))
    #expect(subscriber.failure == nil)
    scheduler.advance(by: .seconds(1))
    #expect(subscriber.values.map(\.data) == ["a", "b"])
    #expect(isSignedOut(subscriber.failure))
    #expect(feed.requests.count == 1)
  }

  @Test("A stream that no session authorizes goes on, also in a call that a session authorizes")
  func otherStream() throws {
    let feed = stubs(["data: a\n\n"], end: .cut)
    let open = TestAPI(transport: feed)
      .serverSentEvents(endpoint: "feed", reconnecting: reconnecting)
    let first = TestAPI(
      baseURL: LiveFeed.url + "/first",
      transport: StubTransport(
        StubAPIResponse(request: StubRequest(.get, urlString: LiveFeed.url + "/first/a")).always()),
      session: session
    ).get(endpoint: "a")
    let subscriber = TestSubscriber<ServerSentEvent, any Error>()
    first.flatMap { _ in open }.retry(policy) { request, _ in request }
      .receive(subscriber: subscriber)
    scheduler.advance(by: .seconds(4))
    try session.signOut()
    scheduler.advance(by: .seconds(20))
    #expect(subscriber.failure == nil)
    #expect(feed.requests.count >= 2)
    subscriber.cancel()
  }

  @Test("A cancel in the pause, and each pause that is over, leave nothing with the session")
  func forgotten() throws {
    let feed = stubs(["data: a\n\n"], end: .cut)
    let subscriber = TestSubscriber<ServerSentEvent, any Error>()
    TestAPI(transport: feed, session: session)
      .serverSentEvents(endpoint: "feed", reconnecting: reconnecting)
      .receive(subscriber: subscriber)
    let span = try #require(session.span)
    for _ in 1...5 {
      scheduler.advance(by: .seconds(10))
      #expect(span.actionCount == 1)
    }
    subscriber.cancel()
    #expect(span.actionCount == 0)
    #expect(scheduler.pendingCount == 0)
    try session.signOut()
    scheduler.run()
    #expect(subscriber.failure == nil)
  }

  @Test("The actions of a user's time run once, in order, without those that are forgotten")
  func actions() {
    let span = SignInSpan(of: SessionTag())
    let order = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    order.receive(subscriber: subscriber)
    let places = (1...20).map { number in span.whenOver { order.send(number) } }
    places[4].cancel()
    #expect(subscriber.values == [])
    span.end()
    span.tellIsOver()
    span.tellIsOver()
    #expect(subscriber.values == (1...20).filter { $0 != 5 })
    span.whenOver { order.send(21) }.cancel()
    #expect(subscriber.values.last == 21)
    #expect(span.actionCount == 0)
  }
}
