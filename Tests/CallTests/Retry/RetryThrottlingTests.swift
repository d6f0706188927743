import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("RT-13: throttling that names its time is no outage")
struct RetryThrottlingTests {
  private typealias Answer = ScriptedTransport.ServerResponse

  private static let throttled = Answer.status(429, ["Retry-After": "2"])

  private func host() throws -> URL { try #require(URL(string: TestAPI.origin)) }

  @Test("A 429 with Retry-After spends neither an attempt nor the budget, and the log says so")
  func free() throws {
    let budget = RetryBudget(burst: 2)
    let answers = Array(repeating: Self.throttled, count: 10) + [.status(200)]
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in answers[number - 1] }
    let call = RetriedCall(scheduler, transport)
    TestAPI(transport: transport).get(endpoint: "a").retry(.test(scheduler) { $0.budget = budget })
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 200)
    #expect(call.sends == 11)
    #expect(budget.remaining(for: try host()) == 2)
    #expect(call.attempts.map(\.number) == Array(1...11))
    // The random time does not grow: the server has named the time.
    #expect(Set(call.waits.map(\.wait)) == [.milliseconds(2_500)])
    #expect(call.waits.allSatisfy { $0.budget == nil })
    #expect(
      call.waits.first?.because
        == "the response was 429 with Retry-After 2.0 seconds, which spends no attempt")
  }

  @Test("Other failures between them spend their attempts")
  func between() {
    let call = RetriedCall(
      Self.throttled, .status(503), Self.throttled, .status(503), Self.throttled, .status(503),
      .status(200))
    #expect(call.status == 503)
    #expect(call.sends == 6)
    #expect(call.refusal == "3 of 3 attempts are used up, see RetryPolicy.maxAttempts")
  }

  @Test(
    "A status that names no time, or no pause, or another reason, spends an attempt",
    arguments: [
      .status(429), .status(429, ["Retry-After": "0"]), .status(429, ["Retry-After": "soon"]),
      .status(503, ["Retry-After": "2"]), .status(413, ["Retry-After": "2"]),
    ] as [ScriptedTransport.ServerResponse])
  func counted(answer: ScriptedTransport.ServerResponse) {
    let call = RetriedCall(answer)
    #expect(call.sends == 3)
    #expect(call.waits.map(\.budget) == [9, 8])
  }

  @Test("A 403 with Retry-After is throttling, if the policy retries it")
  func forbidden() {
    let limited = Answer.status(403, ["Retry-After": "2"])
    let call = RetriedCall(limited, limited, limited, limited, .status(200)) {
      $0.statusesWithRetryAfter.insert(403)
    }
    #expect(call.status == 200)
    #expect(RetriedCall(limited).sends == 1)
  }

  @Test("A policy without a retry waits for nothing", arguments: [1, 0, -1])
  func noRetry(most: Int) {
    let call = RetriedCall(Self.throttled) { $0.maxAttempts = most }
    #expect(call.sends == 1)
    #expect(call.status == 429)
  }

  @Test("RT-11: the total time bounds it, and maxRetryAfter bounds each wait")
  func bounds() {
    let call = RetriedCall(Self.throttled) { $0.totalTime = .seconds(10) }
    #expect(call.transport.times == [0, 2_500, 5_000, 7_500].map { .milliseconds($0) })
    #expect(call.status == 429)
    #expect(call.refusal == "a wait of 2.5 seconds would end after RetryPolicy.totalTime")
    let long = RetriedCall(.status(429, ["Retry-After": "31"]))
    #expect(long.sends == 1)
    #expect(long.refusal?.contains("longer than RetryPolicy.maxRetryAfter") == true)
  }

  @Test("The deadline of the call bounds it")
  func deadline() {
    let scheduler = TestScheduler()
    let call = RetriedCall(scheduler, ScriptedTransport(Self.throttled, on: scheduler))
    TestAPI(transport: call.transport).get(endpoint: "a").retry(.test(scheduler))
      .call(deadline: .after(.seconds(6), scheduler: scheduler))
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.sends == 3)
    #expect(call.status == 429)
    #expect(scheduler.now == .seconds(5))
  }

  @Test("A POST is not sent again for it without a key")
  func post() {
    let call = RetriedCall(Self.throttled, .status(200), method: .post)
    #expect(call.sends == 1)
    #expect(call.refusal == "POST may have been processed, and has no Idempotency-Key")
  }

  @Test("A POST is sent again for a 429 alone if the policy says that the server has not run it")
  func throttledPost() throws {
    let allows = { (policy: inout RetryPolicy) in policy.throttledMethods = [.post] }
    let unnamed = Answer.status(429)
    let call = RetriedCall(Self.throttled, unnamed, .status(201), method: .post, change: allows)
    #expect(call.status == 201)
    #expect(call.sends == 3)
    for answer in [Answer.status(503), .status(503, ["Retry-After": "2"]), .status(408)] {
      let call = RetriedCall(Self.throttled, answer, .status(201), method: .post, change: allows)
      #expect(call.sends == 2, "\(answer)")
      #expect(call.refusal == "POST may have been processed, and has no Idempotency-Key")
    }
    #expect(RetriedCall(Self.throttled, method: .patch, change: allows).sends == 1)
  }

  @Test("A POST that was carried out is not sent again since a request after it was throttled")
  func redirectedPost() {
    let call = RetriedCall(
      .status(303, ["Location": "/v1/made"]), Self.throttled, .status(200), method: .post
    ) { $0.throttledMethods = [.post] }
    #expect(call.sends == 2)
    #expect(call.status == 429)
    #expect(call.refusal == "POST may have been processed, and has no Idempotency-Key")
  }

  @Test(
    "A 401 says that a request was not carried out, so a POST after a refresh is as the first one",
    arguments: [true, false])
  func refusedPost(isThrottled: Bool) throws {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      switch number {
      case 1: .status(401)
      case 2 where isThrottled: Self.throttled
      case 2: .fault(.connectionRefused, mayHaveBeenProcessed: false)
      default: .status(201)
      }
    }
    let call = RetriedCall(scheduler, transport)
    TokenSession.renewing(on: scheduler).authorize(
      TestAPI(transport: transport).post(endpoint: "a")
    )
    .retry(.test(scheduler) { $0.throttledMethods = [.post] })
    .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.sends == 3)
    #expect(call.status == 201)
  }

  @Test("Of requests side by side, the throttling of one takes nothing from the other")
  func sideBySide() {
    let scheduler = TestScheduler()
    let limited = ScriptedTransport(on: scheduler) { number, _ in
      number < 8 ? Self.throttled : .status(200)
    }
    let busy = ScriptedTransport(.status(503), .status(503), .status(200), on: scheduler)
    let call = TestSubscriber<Int, any Error>()
    TokenSession.renewing(on: scheduler).authorize(
      TestAPI(transport: limited).get(endpoint: "a").retry(.test(scheduler)).zip(
        TestAPI(transport: busy).get(endpoint: "b").retry(
          .test(scheduler) {
            $0.maxAttempts = 4
            $0.baseDelay = .seconds(10)
          })
      ) { $0.statusCode + $1.statusCode }
    ).receive(subscriber: call)
    scheduler.run()
    #expect(call.values == [400])
    #expect(limited.requests.count == 8)
    #expect(busy.requests.count == 3)
  }

  @Test("All requests of a throttled attempt are free, those before the throttled one too")
  func chain() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, request in
      request.url?.lastPathComponent == "b" && number < 12 ? Self.throttled : .status(200)
    }
    let call = RetriedCall(scheduler, transport)
    let api = TestAPI(transport: transport)
    api.get(endpoint: "a").flatMap { _ in api.get(endpoint: "b") }
      .retry(.test(scheduler)).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 200)
    #expect(call.sends == 12)
  }

  @Test("A stream that is throttled spends nothing, either")
  func pieces() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      number < 8 ? Self.throttled : .status(200, body: Data("x".utf8))
    }
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    TestAPI(transport: transport).events(endpoint: "a")
      .retry(.test(scheduler) { $0.budget = RetryBudget(burst: 0) })
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(transport.requests.count == 8)
    #expect(subscriber.isFinished)
  }

  /// A server that takes ten messages at once, and then five a second.
  ///
  /// It names the time of the next one, in whole seconds.
  private final class Mailbox: Sendable {
    private let state = Lock((full: Duration.zero, messages: [String]()))

    var messages: [String] { state.withLock { $0.messages } }

    func answer(_ request: URLRequest, at now: Duration) -> Answer {
      let message = request.url?.lastPathComponent ?? ""
      let isTaken = state.withLock { state in
        state.full = max(state.full, now)
        guard state.full - now <= .milliseconds(200) * 9 else { return false }
        state.full += .milliseconds(200)
        state.messages.append(message)
        return true
      }
      return isTaken ? .status(200) : .status(429, ["Retry-After": "1"])
    }
  }

  @Test("All of 200 messages reach a server that limits them, once each", arguments: [true, false])
  func messages(hasLimiter: Bool) {
    let scheduler = TestScheduler()
    let mailbox = Mailbox()
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(20)) { _, request in
      mailbox.answer(request, at: scheduler.now)
    }
    var policy = RetryPolicy(scheduler: scheduler)
    policy.generator = SeededGenerator(seed: 40)
    let api = TestAPI(
      transport: transport, retry: policy,
      rateLimiter: hasLimiter
        ? RateLimiter(10, per: .seconds(1), scheduler: scheduler) : nil)
    let calls = (0..<200).map { number in
      let call = TestSubscriber<RESTResponse, any Error>()
      api.put(endpoint: "m\(number)", body: nil).receive(subscriber: call)
      return call
    }
    scheduler.run()
    #expect(calls.count { $0.values.first?.statusCode == 200 } == 200)
    #expect(Set(mailbox.messages).count == 200)
    #expect(mailbox.messages.count == 200)
    // Without a limiter each call asks by itself.
    #expect((transport.requests.count < 400) == hasLimiter, "\(transport.requests.count)")
  }
}
