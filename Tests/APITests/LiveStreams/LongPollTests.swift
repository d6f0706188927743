import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A long poll goes on from its last response", .leakFree)
struct LongPollTests {
  private typealias Answer = ScriptedTransport.ServerResponse

  private struct Updates: Endpoint {
    struct Response: Decodable, Sendable, Equatable {
      let next: Int?
    }

    var since = 0
    var method = HTTPMethod.get
    let timeout = Duration.seconds(95)
    let path: ResourcePath = "updates"
    var query: QueryItems { ["since": since] }
  }

  private struct Raw: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "updates"
  }

  private typealias Subscriber = TestSubscriber<Updates.Response, any Error>

  private static func next(_ number: Int?) -> Answer {
    .status(200, body: Data(#"{"next": \#(number.map { "\($0)" } ?? "null")}"#.utf8))
  }

  private let scheduler = TestScheduler()

  private func transport(_ answers: Answer..., taking time: Duration = .zero) -> ScriptedTransport {
    ScriptedTransport(on: scheduler, taking: time) { number, _ in
      answers[min(number, answers.count) - 1]
    }
  }

  private func policy(_ change: (inout ReconnectPolicy) -> Void = { _ in }) -> ReconnectPolicy {
    var policy = ReconnectPolicy(retry: .test(scheduler))
    change(&policy)
    return policy
  }

  private func poll(
    _ transport: ScriptedTransport, demand: Subscribers.Demand = .unlimited,
    from first: Updates = Updates(), session: TokenSession? = nil, retry: RetryPolicy? = nil,
    change: (inout ReconnectPolicy) -> Void = { _ in }
  ) -> Subscriber {
    let subscriber = Subscriber(demand: demand)
    TestAPI(transport: transport, session: session, retry: retry)
      .longPoll(from: first, reconnecting: policy(change)) { poll, response in
        response.next.map { Updates(since: $0, method: poll.method) }
      }
      .receive(subscriber: subscriber)
    return subscriber
  }

  private func places(_ transport: ScriptedTransport) -> [String?] {
    transport.requests.map { $0.url?.query }
  }

  @Test("Each request is made of the last response and leaves at once, until there is no next one")
  func chain() {
    let transport = transport(Self.next(5), Self.next(9), Self.next(nil), taking: .seconds(30))
    let subscriber = poll(transport)
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [5, 9, nil])
    #expect(subscriber.isFinished)
    #expect(places(transport) == ["since=0", "since=5", "since=9"])
    #expect(transport.times == [.zero, .seconds(30), .seconds(60)])
    #expect(transport.requests.allSatisfy { $0.timeoutInterval == 95 })
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A further poll is requested on demand: one response is on its way or waits at most")
  func demand() {
    let transport = transport(Self.next(1), Self.next(2), Self.next(3))
    let subscriber = poll(transport, demand: .none)
    // As each call, the first one leaves with the subscription.
    #expect(transport.requests.count == 1)
    #expect(subscriber.values.isEmpty)
    subscriber.request(.max(1))
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [1])
    #expect(transport.requests.count == 1)
    subscriber.request(.max(2))
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [1, 2, 3])
    #expect(transport.requests.count == 3)
    subscriber.cancel()
  }

  @Test("After failures the poll goes on at the last place, after waits that grow and start anew")
  func reconnect() {
    let down = Answer.fault(.connectionRefused, mayHaveBeenProcessed: false)
    let transport = transport(
      Self.next(5), down, .status(503), .fault(.timedOut), Self.next(9), .status(502),
      Self.next(nil))
    let subscriber = poll(transport)
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [5, 9, nil])
    #expect(
      places(transport)
        == ["since=0", "since=5", "since=5", "since=5", "since=5", "since=9", "since=9"])
    // The delay of 3 s, and a random time up to 3 s · 2ⁿ whose draws are the largest.
    #expect(
      transport.times
        == [0, 0, 9, 24, 51, 51, 60].map { Duration.seconds($0) })
  }

  @Test("Each response of an exchange comes with the request that it answers, also after failures")
  func exchanges() {
    let transport = transport(
      Self.next(5), .status(503), Self.next(9), .fault(.timedOut), Self.next(nil))
    let exchanges = TestSubscriber<(request: Updates, response: Updates.Response), any Error>()
    TestAPI(transport: transport)
      .longPollExchanges(from: Updates(since: 2), reconnecting: policy()) { _, response in
        response.next.map { Updates(since: $0) }
      }
      .subscribe(exchanges)
    scheduler.run()
    #expect(exchanges.values.map(\.request.since) == [2, 5, 9])
    #expect(exchanges.values.map(\.response.next) == [5, 9, nil])
    #expect(exchanges.isFinished)
  }

  @Test("A failure that is not transient is final, and has the log of its poll")
  func final() {
    for answer in [Answer.status(404), .status(200, body: Data("[]".utf8)), .status(400)] {
      let transport = transport(Self.next(5), .status(503), answer)
      let subscriber = poll(transport)
      scheduler.run()
      #expect(subscriber.values.map(\.next) == [5])
      let error = subscriber.failure as? RESTError
      #expect(error?.attempts == 2)
      #expect(error?.log?.description.contains("the response was 503") == true)
      #expect(transport.requests.count == 3)
      #expect(scheduler.pendingCount == 0)
    }
  }

  @Test("A path that no request can have fails before anything is sent")
  func invalid() {
    let transport = transport(Self.next(1))
    var first = Updates()
    first.method = HTTPMethod("get")
    let subscriber = poll(transport, from: first)
    scheduler.run()
    #expect((subscriber.failure as? RESTError)?.kind == .invalidRequest)
    #expect(transport.requests.isEmpty)
  }

  @Test("maxFailures limits the failures in a row, and a response starts the count anew")
  func mostFailures() {
    let transport = transport(
      .status(503), .status(503), Self.next(5), .status(503), .status(503), .status(503),
      Self.next(nil))
    let subscriber = poll(transport) { $0.maxFailures = 3 }
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [5])
    #expect((subscriber.failure as? RESTError)?.kind == .status(503))
    #expect(transport.requests.count == 6)
  }

  @Test("The budget is the poll's own: it is not that of the calls, and a response fills it")
  func budget() {
    let budget = RetryBudget(burst: 2)
    var answers: [Answer] = []
    for _ in 1...4 { answers += [.status(503), .status(503), Self.next(5)] }
    answers += [.status(503), .status(503), .status(503), Self.next(nil)]
    let transport = ScriptedTransport(on: scheduler) { [answers] number, _ in answers[number - 1] }
    let subscriber = poll(transport) { $0.retry?.budget = budget }
    scheduler.run()
    #expect(subscriber.values.count == 4)
    #expect((subscriber.failure as? RESTError)?.kind == .status(503))
    #expect(transport.requests.count == 15)
    #expect(URL(string: TestAPI.origin).map { budget.remaining(for: $0) } == 2)
  }

  @Test("A Retry-After is added, up to an hour, and so is a wait that the body names")
  func throttled() {
    let transport = transport(
      .status(429, ["Retry-After": "60"]), .status(429, body: Data("7".utf8)), Self.next(nil))
    let subscriber = poll(transport) { policy in
      policy.retry?.retryAfter = { response in
        Int(String(decoding: response.data, as: UTF8.self)).map { .seconds($0) }
      }
    }
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [nil])
    #expect(transport.times == [.zero, .seconds(69), .seconds(91)])
    let slow = self.transport(.status(429, ["Retry-After": "3601"]))
    let failed = poll(slow)
    scheduler.run()
    #expect((failed.failure as? RESTError)?.kind == .status(429))
    #expect(slow.requests.count == 1)
  }

  @Test("The API's own retry policy does not repeat a poll besides")
  func oneRetry() {
    let transport = transport(.status(503), Self.next(nil))
    let subscriber = poll(transport, retry: .test(scheduler)) { $0.retry = nil }
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [nil])
    #expect(transport.times == [.zero, .seconds(9)])
  }

  @Test("A cancel ends the request that is on its way, and the wait before the next one, at once")
  func cancel() {
    let waiting = transport(Self.next(5), .silence)
    let first = poll(waiting)
    scheduler.run()
    #expect(waiting.requests.count == 2)
    first.cancel()
    #expect(waiting.cancelCount == 1)
    let failing = transport(Self.next(5), .status(503))
    let second = poll(failing)
    #expect(scheduler.pendingCount == 1)
    second.cancel()
    #expect(scheduler.pendingCount == 0)
    scheduler.run()
    #expect(failing.requests.count == 2)
    #expect(second.completion == nil)
  }

  @Test("A 401 renews the token, once for each poll, and the poll goes on where it was")
  func refresh() {
    let transport = transport(
      Self.next(1), .status(401), Self.next(2), .status(401), Self.next(3), .status(401),
      .status(401))
    let subscriber = poll(transport, session: .renewing(on: scheduler))
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [1, 2, 3])
    #expect((subscriber.failure as? RESTError)?.kind == .status(401))
    #expect(
      places(transport)
        == ["since=0", "since=1", "since=1", "since=2", "since=2", "since=3", "since=3"])
  }

  @Test("A token that expires again while the server is unreachable is renewed again, in one poll")
  func refreshAfterFailure() {
    let transport = transport(.status(401), .status(503), .status(401), Self.next(nil))
    let subscriber = poll(transport, session: .renewing(on: scheduler))
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [nil])
    #expect(subscriber.isFinished)
    #expect(places(transport) == Array(repeating: "since=0", count: 4))
  }

  @Test("After a sign-out the poll of the one user does not go on as another")
  func otherUser() throws {
    let session = TokenSession.renewing(on: scheduler)
    let transport = transport(Self.next(1), Self.next(2))
    let subscriber = poll(transport, demand: .max(1), session: session)
    scheduler.run()
    #expect(subscriber.values.count == 1)
    try session.signOut()
    try session.signIn(Credential(accessToken: "other"))
    subscriber.request(.max(1))
    scheduler.run()
    guard case TokenSessionError.signedOut? = subscriber.failure as? TokenSessionError else {
      Issue.record("\(String(describing: subscriber.failure))")
      return
    }
    #expect(transport.requests.count == 1)
  }

  @Test("A sign-out in the wait after a failure ends the poll at once")
  func signOut() throws {
    let session = TokenSession.renewing(on: scheduler)
    let transport = transport(Self.next(1), .status(503))
    let subscriber = poll(transport, session: session)
    scheduler.advance(by: .seconds(1))
    #expect(transport.requests.count == 2)
    try session.signOut()
    scheduler.advance(by: .zero)
    #expect(subscriber.failure is TokenSessionError)
  }

  @Test("An open request's response is not delivered after a sign-out, and signOuts end it at once")
  func signOutOfOpenRequest() throws {
    let session = TokenSession.renewing(on: scheduler)
    let transport = transport(Self.next(1), Self.next(2), taking: .seconds(30))
    let api = TestAPI(transport: transport, session: session)
    let polls = api.longPoll(from: Updates(), reconnecting: policy()) { _, response in
      response.next.map { Updates(since: $0) }
    }
    let (left, ended) = (Subscriber(), Subscriber())
    polls.receive(subscriber: left)
    polls.prefix(untilOutputFrom: session.signOuts).receive(subscriber: ended)
    scheduler.advance(by: .seconds(10))
    #expect(transport.requests.count == 2)
    try session.signOut()
    #expect(ended.isFinished && ended.values.isEmpty)
    #expect(left.failure == nil)
    scheduler.run()
    #expect(left.values.isEmpty)
    #expect(left.failure is TokenSessionError)
    #expect(transport.requests.count == 2)
  }

  @Test("An open request's response is not delivered when another user has signed in")
  func replacedUser() throws {
    let session = TokenSession.renewing(on: scheduler)
    let transport = transport(Self.next(1), Self.next(2), taking: .seconds(30))
    let subscriber = poll(transport, session: session)
    scheduler.advance(by: .seconds(40))
    #expect(subscriber.values.map(\.next) == [1])
    try session.signIn(Credential(accessToken: "other", account: "other"))
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [1])
    #expect(subscriber.failure is TokenSessionError)
    #expect(transport.requests.count == 2)
  }

  @Test("A poll whose method may not be repeated is not sent again after a failure")
  func post() {
    let transport = transport(Self.next(1), .status(503))
    let subscriber = poll(transport, from: Updates(method: .post))
    scheduler.run()
    #expect(subscriber.values.map(\.next) == [1])
    #expect((subscriber.failure as? RESTError)?.kind == .status(503))
    #expect(transport.requests.count == 2)
  }

  @Test("An endpoint that takes any response gets none that is transient")
  func raw() {
    let transport = transport(.status(503), .status(404), .status(204))
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: transport).longPoll(from: Raw(), reconnecting: policy()) { poll, response in
      response.statusCode == 204 ? nil : poll
    }
    .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [404, 204])
  }

  @Test("A resubscription begins with the first request, and with a budget and a count of its own")
  func again() {
    let transport = transport(Self.next(5), Self.next(nil), Self.next(6), Self.next(nil))
    let poll = TestAPI(transport: transport)
      .longPoll(from: Updates(), reconnecting: policy()) { _, response in
        response.next.map { Updates(since: $0) }
      }
    for _ in 1...2 { poll.receive(subscriber: Subscriber()) }
    scheduler.run()
    #expect(places(transport) == ["since=0", "since=5", "since=0", "since=6"])
  }

  @Test("Two thousand polls need no stack")
  func many() {
    let count = 2_000
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      Self.next(number < count ? number : nil)
    }
    let subscriber = poll(transport)
    scheduler.run()
    #expect(subscriber.values.count == count)
    #expect(subscriber.isFinished)
  }
}
