import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("RT-13: a wait that only the body of a response names")
struct BodyWaitTests {
  private typealias Answer = ScriptedTransport.ServerResponse

  /// Reads `{"retry_after_ms": 2000}`.
  private static let retryAfter: @Sendable (RESTResponse) -> Duration? = { response in
    let body = try? JSONDecoder().decode(JSONValue.self, from: response.data)
    return body?["retry_after_ms"]?.integer.map { .milliseconds($0) }
  }

  private static func throttled(
    _ wait: Int64, status: Int = 429, headers: HTTPHeaders = [:]
  ) -> Answer {
    .status(status, headers, body: Data(#"{"retry_after_ms": \#(wait)}"#.utf8))
  }

  private static func call(
    _ answers: Answer..., change: (inout RetryPolicy) -> Void = { _ in }
  ) -> RetriedCall {
    let scheduler = TestScheduler()
    let call = RetriedCall(
      scheduler,
      ScriptedTransport(on: scheduler) { number, _ in answers[min(number, answers.count) - 1] })
    let policy = RetryPolicy.test(scheduler) {
      $0.retryAfter = retryAfter
      change(&$0)
    }
    TestAPI(transport: call.transport, retry: policy).get(endpoint: "a")
      .receive(subscriber: call.subscriber)
    scheduler.run()
    return call
  }

  @Test("The wait of the body is that of a Retry-After: added to the jitter, and no attempt")
  func wait() {
    let call = Self.call(
      Self.throttled(2_000), Self.throttled(2_000), Self.throttled(2_000), Self.throttled(2_000),
      .status(200))
    #expect(call.status == 200)
    #expect(call.transport.times == (0...4).map { .milliseconds(2_500 * $0) })
  }

  @Test("Of the body and the field, the longer wait counts", arguments: [(1, 4), (3, 5)])
  func longer(field: Int, total: Int) {
    let call = Self.call(
      Self.throttled(Int64(total - 2) * 1_000, headers: ["Retry-After": "\(field)"]),
      .status(200))
    let wait = max(total - 2, field)
    #expect(call.transport.times == [.zero, .seconds(wait) + .milliseconds(500)])
  }

  @Test("A wait beyond maxRetryAfter delivers the response at once, and so does one that is huge")
  func bounded() {
    for wait: Int64 in [30_001, .max] {
      let call = Self.call(Self.throttled(wait), .status(200))
      #expect(call.status == 429)
      #expect(call.sends == 1)
      #expect(call.refusal?.contains("RetryPolicy.maxRetryAfter") == true)
    }
  }

  @Test("A negative wait is none, and a body without the member is as without the closure")
  func none() {
    for answer in [Self.throttled(-5), .status(429, body: Data("{}".utf8)), .status(429)] {
      let call = Self.call(answer, .status(200))
      #expect(call.transport.times == [.zero, .milliseconds(500)])
    }
  }

  @Test("A status that is transient only with a wait is retried if the body names one")
  func transientByBody() {
    #expect(Self.call(Self.throttled(1_000, status: 413), .status(200)).status == 200)
    #expect(Self.call(.status(413), .status(200)).status == 413)
    #expect(Self.call(Self.throttled(1_000, status: 404), .status(200)).status == 404)
  }

  @Test("The closure is not asked about a success")
  func success() {
    let asked = Counter()
    let call = Self.call(.status(204)) { policy in
      policy.retryAfter = { _ in
        asked.add()
        return .seconds(9)
      }
    }
    #expect(call.status == 204)
    #expect(asked.value == 0)
  }

  @Test("A stage that refuses the status inside of the retry keeps the wait of the body")
  func error() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(Self.throttled(2_000), .status(200), on: scheduler)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: transport).get(endpoint: "a").validateStatus()
      .retry(.test(scheduler) { $0.retryAfter = Self.retryAfter })
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(transport.times == [.zero, .milliseconds(2_500)])
  }

  @Test("An upload waits for the time of its response's body")
  func upload() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(Self.throttled(2_000), .status(200), on: scheduler)
    let subscriber = TestSubscriber<UploadEvent, any Error>()
    TestAPI(
      transport: transport, retry: .test(scheduler) { $0.retryAfter = Self.retryAfter }
    )
    .upload(.put, endpoint: "a", body: .data(Data("x".utf8))).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.isFinished)
    #expect(transport.times == [.zero, .milliseconds(2_500)])
  }

  @Test("A stream of events whose response is refused waits for the time of its body")
  func stream() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      number == 1
        ? Self.throttled(5_000)
        : .status(200, ["Content-Type": "text/event-stream"], body: Data("data: a\n\n".utf8))
    }
    let subscriber = TestSubscriber<ServerSentEvent, any Error>()
    TestAPI(
      transport: transport, retry: .test(scheduler) { $0.retryAfter = Self.retryAfter }
    )
    .serverSentEvents(endpoint: "feed", reconnecting: ReconnectPolicy(delay: .seconds(1)))
    .prefix(1).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.data) == ["a"])
    #expect(transport.times.last.map { $0 >= .seconds(6) } == true)
  }

  @Test("A limiter closes for the time of a body, for all requests")
  func limiter() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      number == 1 ? Self.throttled(7_000) : .status(200)
    }
    let limiter = RateLimiter(
      10, per: .seconds(1), retryAfter: Self.retryAfter, scheduler: scheduler)
    let api = TestAPI(transport: transport, rateLimiter: limiter)
    let calls = (0..<3).map { number in
      let call = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: "\(number)").receive(subscriber: call)
      return call
    }
    scheduler.run()
    #expect(calls.map { $0.values.map(\.statusCode) } == [[429], [200], [200]])
    #expect(transport.times.dropFirst().allSatisfy { $0 >= .seconds(7) })
  }

  @Test("A limiter asks about the statuses that close it, if it honors the server, an hour at most")
  func limits() {
    for (answer, honors, isClosed) in [
      (Self.throttled(.max), true, true), (Self.throttled(.max), false, false),
      (Self.throttled(9_000, status: 200), true, false),
      (Self.throttled(9_000, status: 404), true, false),
    ] {
      let scheduler = TestScheduler()
      let transport = ScriptedTransport(answer, on: scheduler)
      let limiter = RateLimiter(
        10, per: .seconds(1), maxWait: .seconds(4_000), honorsServer: honors,
        retryAfter: Self.retryAfter, scheduler: scheduler)
      let api = TestAPI(transport: transport, rateLimiter: limiter)
      let (first, second) = (
        TestSubscriber<RESTResponse, any Error>(), TestSubscriber<RESTResponse, any Error>()
      )
      api.get(endpoint: "a").receive(subscriber: first)
      api.get(endpoint: "b").receive(subscriber: second)
      scheduler.run()
      #expect(transport.times == [.zero, isClosed ? .seconds(3_600) : .zero])
    }
  }
}
