import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("RT-11: the times of a retried call")
struct RetryTimeTests {
  @Test("With only a number of attempts, each attempt may take any time")
  func attemptsAlone() {
    let call = RetriedCall(.status(503), taking: .seconds(1_000)) {
      $0.maxAttempts = 5
      $0.totalTime = nil
    }
    #expect(call.sends == 5)
    #expect(call.status == 503)
  }

  @Test("With only an attempt time, a silent attempt is cancelled and retried")
  func attemptTimeout() {
    let call = RetriedCall(.silence, .silence, .status(200)) {
      $0.attemptTimeout = .seconds(2)
      $0.totalTime = nil
    }
    #expect(call.status == 200)
    #expect(call.transport.times == [.zero, .milliseconds(2_500), .milliseconds(5_500)])
    #expect(call.transport.cancelCount == 2)
    #expect(
      call.waits.map(\.because) == Array(repeating: "the attempt ended with timedOut", count: 2))
  }

  @Test("The timeout of the last attempt ends the call, with an error that names the limit")
  func attemptTimeoutIsFinal() throws {
    let call = RetriedCall(.silence) {
      $0.maxAttempts = 2
      $0.attemptTimeout = .seconds(2)
    }
    let error = try #require(call.error)
    #expect(error.kind == .transport(.timedOut))
    #expect(error.attempts == 2)
    #expect(error.request?.location == "https://api.example.com/v1/orders")
    #expect(error.reason.contains("RetryPolicy.attemptTimeout"))
    #expect(call.scheduler.now == .milliseconds(4_500))
    #expect(call.scheduler.pendingCount == 0)
  }

  @Test("A POST that timed out may have been processed, and is not sent again")
  func attemptTimeoutOfPost() {
    let call = RetriedCall(.silence, .status(200), method: .post) {
      $0.attemptTimeout = .seconds(2)
    }
    #expect(call.error?.kind == .transport(.timedOut))
    #expect(call.sends == 1)
    #expect(call.refusal == "POST may have been processed, and has no Idempotency-Key")
  }

  @Test("With only a total time, the attempt that runs at its end is cancelled, and is the last")
  func totalTime() throws {
    let call = RetriedCall(.status(503), .silence) {
      $0.totalTime = .seconds(5)
    }
    let error = try #require(call.error)
    #expect(error.kind == .transport(.timedOut))
    #expect(error.reason.contains("RetryPolicy.totalTime"))
    #expect(error.attempts == 2)
    #expect(call.transport.cancelCount == 1)
    #expect(call.scheduler.now == .seconds(5))
    #expect(call.scheduler.pendingCount == 0)
  }

  @Test("Of several limits, the first one reached ends the attempt or the call")
  func together() {
    let call = RetriedCall(.silence) {
      $0.maxAttempts = 10
      $0.attemptTimeout = .seconds(2)
      $0.totalTime = .seconds(7)
    }
    // 2 s, 0.5 s, 2 s, 1 s, then 1.5 s that are left.
    #expect(call.transport.times == [.zero, .milliseconds(2_500), .milliseconds(5_500)])
    #expect(call.scheduler.now == .seconds(7))
    #expect(call.error?.reason.contains("RetryPolicy.totalTime") == true)
    #expect(call.error?.attempts == 3)
  }

  @Test("The total time beats Retry-After, and the response comes at once")
  func totalBeatsRetryAfter() {
    let call = RetriedCall(.status(503, ["Retry-After": "20"]), .status(200)) {
      $0.totalTime = .seconds(20)
    }
    #expect(call.status == 503)
    #expect(call.scheduler.now == .zero)
    #expect(call.refusal == "a wait of 20.5 seconds would end after RetryPolicy.totalTime")
  }

  @Test("Without limits an attempt may take any time, and needs no timer")
  func none() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.silence, on: scheduler)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: transport).get(endpoint: "a")
      .retry(.test(scheduler) { $0.totalTime = nil }).receive(subscriber: subscriber)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("RT-22: a wait of hours needs only the scheduler, and ends on its time")
  func virtualTime() {
    let scheduler = TestScheduler()
    let busy = ScriptedTransport.ServerResponse.status(503, ["Retry-After": "3600"])
    let transport = ScriptedTransport(busy, busy, .status(200), on: scheduler)
    let policy = RetryPolicy.test(scheduler) {
      $0.maxRetryAfter = .seconds(3_600)
      $0.maxDelay = .zero
      $0.totalTime = nil
    }
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: transport).get(endpoint: "a").retry(policy).receive(subscriber: subscriber)

    for hour in 1...2 {
      #expect(transport.requests.count == hour)
      #expect(scheduler.pendingCount == 1)
      scheduler.advance(by: .seconds(3_599))
      #expect(transport.requests.count == hour)
      scheduler.advance(by: .seconds(1))
    }
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(transport.times == [.zero, .seconds(3_600), .seconds(7_200)])
  }

  @Test("A time that is not positive ends the call before it begins", arguments: [0, -1])
  func noTime(seconds: Int) {
    let call = RetriedCall(.silence) { $0.totalTime = .seconds(seconds) }
    #expect(call.error?.kind == .transport(.timedOut))
    #expect(call.scheduler.now == .zero)
  }
}
