import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A deadline ends all calls of a pipeline")
struct CallDeadlineTests {
  private let scheduler = TestScheduler()
  private let subscriber = TestSubscriber<RESTResponse, any Error>()

  private func transport(
    _ answers: ScriptedTransport.ServerResponse..., taking duration: Duration = .zero
  ) -> ScriptedTransport {
    ScriptedTransport(on: scheduler, taking: duration) { number, _ in
      answers[min(number, answers.count) - 1]
    }
  }

  private func deadline(_ time: Duration) -> CallDeadline { .after(time, scheduler: scheduler) }

  private func get(_ transport: ScriptedTransport) -> AnyPublisher<RESTResponse, any Error> {
    TestAPI(transport: transport).get(endpoint: "orders")
  }

  private func error() throws -> RESTError { try #require(subscriber.failure as? RESTError) }

  private func expectDeadline(at time: Duration, mayHaveBeenProcessed: Bool = true) throws {
    let error = try error()
    #expect(error.kind == .transport(.timedOut))
    #expect(
      error.underlyingError as? CallDeadlineError
        == CallDeadlineError(mayHaveBeenProcessed: mayHaveBeenProcessed))
    #expect(error.reason.contains("call(deadline:)"))
    #expect(scheduler.now == time)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A response before the deadline arrives, and the timer is removed")
  func inTime() {
    get(transport(.status(200), taking: .seconds(4))).call(deadline: deadline(.seconds(5)))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(subscriber.isFinished)
    #expect(scheduler.now == .seconds(4))
    #expect(scheduler.pendingCount == 0)
  }

  @Test("An attempt that runs at the deadline is cancelled, and the error says so")
  func attempt() throws {
    let transport = transport(.silence)
    get(transport).call(deadline: deadline(.seconds(5))).receive(subscriber: subscriber)
    scheduler.run()
    try expectDeadline(at: .seconds(5))
    #expect(transport.cancelCount == 1)
    #expect(try error().request?.location == "https://api.example.com/v1/orders")
    #expect(try error().attempts == 1)
    #expect(
      try error().log?.events.map(\.description) == [
        "built GET https://api.example.com/v1/orders", "sent, attempt 1",
        "failed because \(error().reason)", "ended",
      ])
  }

  @Test("After the deadline nothing is sent")
  func passed() throws {
    let transport = transport(.status(200))
    let deadline = deadline(.seconds(1))
    scheduler.advance(by: .seconds(1))
    get(transport).call(deadline: deadline).receive(subscriber: subscriber)
    try expectDeadline(at: .seconds(1), mayHaveBeenProcessed: false)
    #expect(try error().attempts == 0)
    #expect(transport.requests.isEmpty)
    #expect(try error().reason.contains("nothing was sent"))
  }

  @Test("All calls of a pipeline share one deadline")
  func several() throws {
    let transport = transport(.status(200), taking: .seconds(2))
    get(transport)
      .flatMap { _ in get(transport) }
      .flatMap { _ in get(transport) }
      .call(deadline: deadline(.seconds(5)))
      .receive(subscriber: subscriber)
    scheduler.run()
    try expectDeadline(at: .seconds(5))
    #expect(transport.times == [.zero, .seconds(2), .seconds(4)])
    #expect(try error().attempts == 1)
  }

  @Test(
    "A retry whose wait would exceed the deadline does not begin; the last outcome comes at once")
  func retry() {
    let transport = transport(.status(503))
    get(transport).retry(.test(scheduler) { $0.maxAttempts = 10 })
      .call(deadline: deadline(.milliseconds(1_500)))
      .receive(subscriber: subscriber)
    scheduler.run()
    // The second wait, of one second, would end at the deadline.
    #expect(transport.times == [.zero, .milliseconds(500)])
    #expect(subscriber.values.map(\.statusCode) == [503])
    #expect(scheduler.now == .milliseconds(500))
    let log = subscriber.values.first?.journal?.log.events.map(\.description) ?? []
    #expect(
      log.contains(
        "not sent again because a wait of 1.0 seconds would end after the deadline of call(deadline:)"
      ))
  }

  @Test("Each retry of a pipeline has its own attempts and its own total time")
  func retries() {
    let transport = transport(
      .status(200), .status(200), .status(503), .status(200), taking: .seconds(2))
    let policy = RetryPolicy.test(scheduler) { policy in
      policy.maxAttempts = 2
      policy.totalTime = .seconds(5)
    }
    get(transport).retry(policy)
      .flatMap { _ in get(transport).retry(policy) }
      .flatMap { _ in get(transport).retry(policy) }
      .call(deadline: deadline(.seconds(60)))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(transport.times == [.zero, .seconds(2), .seconds(4), .milliseconds(6_500)])
  }

  @Test("Calls that run at the same time each have their own attempts")
  func retriesAtOnce() {
    let transport = transport(
      .status(503), .status(503), .status(503), .status(200), taking: .seconds(2))
    [1, 2, 3].publisher.setFailureType(to: (any Error).self)
      .flatMap { _ in get(transport).retry(.test(scheduler) { $0.maxAttempts = 2 }) }
      .call(deadline: deadline(.seconds(60)))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200, 200, 200])
    #expect(transport.requests.count == 6)
  }

  @Test("A later call of a pipeline has no more attempts than its policy allows")
  func attemptsThatAreNotSent() throws {
    let transport = transport(.status(200))
    let grant = ClosureGrant(requiresSignIn: false) { _ in
      Empty<TokenResponse, any Error>(completeImmediately: false)
    }
    let session = TokenSession(grant: grant, scheduler: scheduler)
    let policy = RetryPolicy.test(scheduler) { policy in
      policy.maxAttempts = 2
      policy.attemptTimeout = .seconds(1)
    }
    get(transport)
      .flatMap { _ in session.authorize(get(transport)).retry(policy) }
      .call(deadline: deadline(.seconds(20)))
      .receive(subscriber: subscriber)
    // Two attempts of a second that wait for the token, and half a second between them.
    scheduler.advance(by: .milliseconds(2_500))
    #expect(try error().reason.contains("RetryPolicy.attemptTimeout"))
    #expect(transport.requests.count == 1)
    scheduler.run()
  }

  @Test("Each call of a pipeline has its own refresh, retried or not", arguments: [false, true])
  func refreshes(isRetried: Bool) {
    let transport = transport(.status(401), .status(200), .status(401), .status(200))
    let session = TokenSession.renewing(on: scheduler)
    let plain = session.authorize(get(transport))
    let call = isRetried ? plain.retry(.test(scheduler)) : plain
    call.flatMap { _ in call }
      .call(deadline: deadline(.seconds(60)))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(transport.requests.count == 4)
  }

  @Test("Calls that run side by side each report only their own attempts")
  func sideBySide() throws {
    let transport = ScriptedTransport(on: scheduler, taking: .seconds(1)) { _, request in
      request.url?.lastPathComponent == "busy" ? .status(503) : .status(404)
    }
    let policy = RetryPolicy.test(scheduler) { $0.maxAttempts = 3 }
    let api = TestAPI(transport: transport)
    let failure = { (endpoint: String) in
      api.get(endpoint: endpoint).retry(policy).validateStatus()
        .map { _ in RESTError?.none }
        .catch { Just($0 as? RESTError).setFailureType(to: (any Error).self) }
    }
    let both = TestSubscriber<[RESTError?], any Error>()
    failure("busy").zip(failure("gone")).map { [$0, $1] }
      .call(deadline: deadline(.seconds(60)))
      .receive(subscriber: both)
    scheduler.run()
    let errors = try #require(both.values.first)
    #expect(errors.map { $0?.kind } == [.status(503), .status(404)])
    #expect(errors.map { $0?.attempts } == [3, 1])
    #expect(errors.map { $0?.log?.events.count(where: \.isSending) } == [3, 1])
  }

  @Test("A pipeline continues as the user who signs in between two of its calls")
  func otherUser() {
    let transport = transport(.status(200))
    let session = TokenSession.renewing(on: scheduler)
    session.authorize(get(transport))
      .tryMap { _ in
        try session.signOut()
        try session.signIn(Credential(accessToken: "t9"))
      }
      .flatMap { session.authorize(get(transport)) }
      .call(deadline: deadline(.seconds(60)))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(transport.values(of: "Authorization") == ["Bearer t0", "Bearer t9"])
  }

  @Test("A retry behind the deadline does not retry a call that the deadline ended")
  func retryBehind() throws {
    let transport = transport(.silence)
    get(transport).call(deadline: deadline(.seconds(5))).retry(.test(scheduler))
      .receive(subscriber: subscriber)
    scheduler.run()
    try expectDeadline(at: .seconds(5))
    #expect(transport.requests.count == 1)
    #expect(try error().attempts == 1)
  }

  @Test("A request that was sent also counts for a later deadline around it")
  func outerDeadline() throws {
    let transport = transport(.status(200))
    get(transport).call(deadline: deadline(.seconds(2)))
      .delay(for: .seconds(9), scheduler: scheduler)
      .call(deadline: deadline(.seconds(5)))
      .receive(subscriber: subscriber)
    scheduler.run()
    try expectDeadline(at: .seconds(5), mayHaveBeenProcessed: true)
    #expect(try error().request?.location == "https://api.example.com/v1/orders")
  }

  @Test("The earliest of nested deadlines counts", arguments: [(2, 5), (5, 2), (2, 2)])
  func nested(inner: Int, outer: Int) throws {
    get(transport(.silence))
      .call(deadline: deadline(.seconds(inner)))
      .flatMap { Just($0).setFailureType(to: (any Error).self) }
      .call(deadline: deadline(.seconds(outer)))
      .receive(subscriber: subscriber)
    scheduler.run()
    try expectDeadline(at: .seconds(2))
  }

  @Test("A wait for a token ends at the deadline, and nothing is sent")
  func token() throws {
    let grant = ClosureGrant(requiresSignIn: false) { [scheduler] _ in
      Just(TokenResponse(accessToken: "late")).setFailureType(to: (any Error).self)
        .delay(for: .seconds(9), scheduler: scheduler)
    }
    let session = TokenSession(grant: grant, scheduler: scheduler)
    let transport = transport(.status(200))
    session.authorize(get(transport)).call(deadline: deadline(.seconds(5)))
      .receive(subscriber: subscriber)
    scheduler.advance(by: .seconds(5))
    let failure = try error()
    #expect(
      failure.underlyingError as? CallDeadlineError
        == CallDeadlineError(mayHaveBeenProcessed: false))
    #expect(transport.requests.isEmpty)
    scheduler.run()
  }

  @Test("A redirect in progress ends at the deadline")
  func redirect() throws {
    let transport = transport(
      .status(307, ["Location": "/elsewhere"]), .silence, taking: .seconds(3))
    get(transport).call(deadline: deadline(.seconds(5))).receive(subscriber: subscriber)
    scheduler.run()
    try expectDeadline(at: .seconds(5))
    #expect(transport.requests.count == 2)
    #expect(transport.cancelCount == 1)
  }

  @Test("A request that leaves while the deadline cancels counts as sent")
  func race() throws {
    let transport = transport(.silence)
    let late = PassthroughSubject<Int, any Error>()
    late.flatMap { _ in get(transport) }
      .handleEvents(receiveCancel: { late.send(1) })
      .call(deadline: deadline(.seconds(5)))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(transport.requests.count == 1)
    #expect(transport.cancelCount == 1)
    try expectDeadline(at: .seconds(5), mayHaveBeenProcessed: true)
  }

  @Test("A body in pieces ends at the deadline, after the pieces that came")
  func pieces() throws {
    let pieces = PassthroughSubject<Int, any Error>()
    let received = TestSubscriber<Int, any Error>()
    pieces.call(deadline: deadline(.seconds(5))).receive(subscriber: received)
    pieces.send(1)
    scheduler.advance(by: .seconds(4))
    pieces.send(2)
    scheduler.advance(by: .seconds(1))
    pieces.send(3)
    #expect(received.values == [1, 2])
    #expect((received.failure as? RESTError)?.kind == .transport(.timedOut))
  }

  @Test("A cancel removes the timer and ends the call")
  func cancel() {
    let transport = transport(.silence)
    get(transport).call(deadline: deadline(.seconds(5))).receive(subscriber: subscriber)
    subscriber.cancel()
    #expect(transport.cancelCount == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A failure before the deadline passes unchanged")
  func failure() throws {
    get(transport(.failure(TestFailure()))).call(deadline: deadline(.seconds(5)))
      .receive(subscriber: subscriber)
    #expect(subscriber.failure as? TestFailure == TestFailure())
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A deadline may be an instant of the continuous clock")
  func continuous() async throws {
    let late = CallDeadline.at(.now + .seconds(3_600))
    #expect(late.remaining > .seconds(3_000))
    #expect(late.remaining <= .seconds(3_600))
    let transport = transport(.status(200))
    #expect(try await get(transport).call(deadline: late).value.statusCode == 200)
    await #expect(throws: RESTError.self) {
      try await get(transport).call(deadline: .at(.now)).value
    }
    #expect(transport.requests.count == 1)
  }
}

extension CallEvent {
  fileprivate var isSending: Bool {
    if case .sent = kind { true } else { false }
  }
}
