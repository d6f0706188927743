import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A call with a retry policy")
struct RetryTests {
  @Test("A call is sent again after a status that means \"not now\", once the wait is over")
  func status() {
    let call = RetriedCall(.status(503), .status(502), .status(200))
    #expect(call.status == 200)
    #expect(call.subscriber.isFinished)
    #expect(call.transport.times == [.zero, .milliseconds(500), .milliseconds(1_500)])
    #expect(call.scheduler.pendingCount == 0)
  }

  @Test("A call is sent again after a fault, and after a status that an earlier stage refused")
  func failures() {
    let faults = RetriedCall(.fault(.connectionReset), .fault(.timedOut), .status(200))
    #expect(faults.status == 200)
    let scheduler = TestScheduler()
    let call = RetriedCall(
      scheduler, ScriptedTransport(.status(503), .status(200), on: scheduler))
    TestAPI(transport: call.transport).get(endpoint: "a").validateStatus()
      .retry(.test(scheduler)).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 200)
  }

  @Test("A call with a final response is sent once", arguments: [200, 401, 404, 501])
  func final(status: Int) {
    let call = RetriedCall(.status(status), .status(200))
    #expect(call.status == status)
    #expect(call.sends == 1)
    #expect(call.refusal == nil)
  }

  @Test("RT-16: the last response is delivered unchanged, when retries are over")
  func lastResponse() {
    let call = RetriedCall(
      .status(500), .status(502), .status(503, ["X": "1"], body: Data("busy".utf8)))
    #expect(call.status == 503)
    #expect(call.subscriber.values.first?.data == Data("busy".utf8))
    #expect(call.subscriber.values.first?.headers["X"] == "1")
    #expect(call.refusal == "3 of 3 attempts are used up, see RetryPolicy.maxAttempts")
  }

  @Test("RT-16: the final error has every attempt, its cause and its wait, and keeps the body")
  func finalError() throws {
    let scheduler = TestScheduler()
    let call = RetriedCall(
      scheduler,
      ScriptedTransport(
        .fault(.connectionReset), .status(503, ["Retry-After": "2"]),
        .status(503, body: Data("sorry".utf8)), on: scheduler, taking: .milliseconds(100)))
    TestAPI(transport: call.transport).get(endpoint: "orders")
      .retry(.test(scheduler)).validateStatus().receive(subscriber: call.subscriber)
    scheduler.run()
    let error = try #require(call.error)
    #expect(error.kind == .status(503))
    #expect(error.attempts == 3)
    #expect(error.body == Data("sorry".utf8))
    #expect(call.attempts.map(\.number) == [1, 2, 3])
    #expect(call.attempts.map(\.cause) == [.first, .retry, .retry])
    #expect(call.waits.map(\.wait) == [.milliseconds(500), .seconds(3)])
    #expect(
      call.waits.map(\.because) == [
        "the attempt ended with connectionReset",
        "the response was 503 with Retry-After 2.0 seconds",
      ])
    #expect(call.refusal != nil)
    // Three attempts of 0.1 s and both waits.
    #expect(error.log?.events.last?.time == .milliseconds(3_800))
  }

  @Test("RT-16: a failure that ends the call has the whole log, too")
  func finalFault() throws {
    let call = RetriedCall(.fault(.connectionReset))
    let error = try #require(call.error)
    #expect(error.kind == .transport(.connectionReset))
    #expect(error.attempts == 3)
    #expect(call.waits.count == 2)
    #expect(call.refusal == "3 of 3 attempts are used up, see RetryPolicy.maxAttempts")
  }

  @Test("RT-17: an error that is not RESTKit's, or an invalid request, is final")
  func otherErrors() {
    let own = RetriedCall(.failure(TestFailure()), .status(200))
    #expect(own.subscriber.failure as? TestFailure == TestFailure())
    #expect(own.sends == 1)
    let cancelled = RetriedCall(.failure(CancellationError()), .status(200))
    #expect(cancelled.sends == 1)
    let tls = RetriedCall(.fault(.tlsFailed(.certificateExpired)), .status(200))
    #expect(tls.error?.kind == .transport(.tlsFailed(.certificateExpired)))
    #expect(tls.sends == 1)
    let scheduler = TestScheduler()
    let call = RetriedCall(scheduler, ScriptedTransport(.status(200), on: scheduler))
    TestAPI(baseURL: "ftp://h", transport: call.transport).get(endpoint: "a")
      .retry(.test(scheduler)).receive(subscriber: call.subscriber)
    #expect(call.error?.kind == .invalidBaseURL)
    #expect(call.sends == 0)
  }

  @Test("RT-03, RT-04: a retry waits as long as the server asks, in seconds or until a date")
  func retryAfter() {
    // The test's clock stands at 08:49:37.
    for value in ["4", "Sun, 06 Nov 1994 08:49:41 GMT", "Sunday, 06-Nov-94 08:49:41 GMT"] {
      let call = RetriedCall(.status(429, ["Retry-After": value]), .status(200))
      #expect(call.transport.times == [.zero, .milliseconds(4_500)])
    }
    let unreadable = RetriedCall(.status(429, ["Retry-After": "soon"]), .status(200))
    #expect(unreadable.transport.times == [.zero, .milliseconds(500)])
  }

  @Test("RT-05: a call fails at once if the server asks for more than the cap, and says so")
  func retryAfterTooLong() throws {
    let scheduler = TestScheduler()
    let call = RetriedCall(
      scheduler, ScriptedTransport(.status(503, ["Retry-After": "3600"]), on: scheduler))
    TestAPI(transport: call.transport).get(endpoint: "orders")
      .retry(.test(scheduler)).validateStatus().receive(subscriber: call.subscriber)
    let error = try #require(call.error)
    #expect(scheduler.pendingCount == 0)
    #expect(call.sends == 1)
    #expect(error.response?.headers.retryAfter() == .seconds(3_600))
    #expect(
      call.refusal == "the server asks for a wait of 3600.0 seconds, longer than "
        + "RetryPolicy.maxRetryAfter")
  }

  @Test("RT-10: the previous response is released before the wait")
  func releasesResponse() {
    let scheduler = TestScheduler()
    let log = ValueLog<String>()
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      guard number == 1 else { return .status(200) }
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: 100_000, alignment: 1)
      let body = Data(
        bytesNoCopy: bytes, count: 100_000,
        deallocator: .custom { bytes, _ in
          bytes.deallocate()
          log.add("released")
        })
      return .status(503, body: body)
    }
    let call = RetriedCall(scheduler, transport)
    TestAPI(transport: transport).get(endpoint: "a").retry(.test(scheduler))
      .receive(subscriber: call.subscriber)
    #expect(scheduler.pendingCount > 0)
    #expect(log.all == ["released"])
    scheduler.run()
    #expect(call.status == 200)
  }

  @Test("RT-12: a cancel during the wait ends it and its timer at once, and leaves nothing behind")
  func cancelDuringWait() async throws {
    try await LiveSubscriptions.assertNone {
      let scheduler = TestScheduler()
      let call = RetriedCall(scheduler, ScriptedTransport(.status(503), on: scheduler))
      TestAPI(transport: call.transport).get(endpoint: "a").retry(.test(scheduler))
        .receive(subscriber: call.subscriber)
      #expect(scheduler.pendingCount == 1)
      call.subscriber.cancel()
      #expect(scheduler.pendingCount == 0)
      scheduler.advance(by: .seconds(100))
      #expect(call.sends == 1)
      #expect(call.subscriber.completions.isEmpty)
    }
  }

  @Test("RT-12: a cancel during an attempt cancels it and its timer")
  func cancelDuringAttempt() {
    let scheduler = TestScheduler()
    let call = RetriedCall(scheduler, ScriptedTransport(.silence, on: scheduler))
    TestAPI(transport: call.transport).get(endpoint: "a").retry(.test(scheduler))
      .receive(subscriber: call.subscriber)
    #expect(scheduler.pendingCount == 1)
    call.subscriber.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(call.transport.cancelCount == 1)
  }

  @Test("RT-15: each attempt runs the modifier anew and has a number in the log")
  func modifier() {
    let log = ValueLog<String>()
    let call = RetriedCall(
      .status(503), .status(503), .status(200),
      modifier: {
        log.add("")
        return $0.adding("Date", "\(log.all.count)")
      })
    #expect(call.transport.values(of: "Date") == ["1", "2", "3"])
    #expect(call.attempts.map(\.number) == [1, 2, 3])
  }

  @Test("Hundreds of attempts need no more stack than one")
  func constantStack() {
    let transport = ScriptedTransport(.fault(.connectionRefused), on: .immediate)
    let call = RetriedCall(TestScheduler(), transport)
    TestAPI(transport: transport).get(endpoint: "a")
      .retry(
        .test(.immediate) {
          $0.maxAttempts = 300
          $0.maxDelay = .zero
          $0.budget = nil
        }
      )
      .receive(subscriber: call.subscriber)
    #expect(call.sends == 300)
    #expect(call.error?.attempts == 300)
  }

  @Test("A call that sends nothing still ends")
  func failsBeforeSending() {
    let scheduler = TestScheduler()
    let fault = TransportError(kind: .connectionRefused, mayHaveBeenProcessed: false)
    let log = ValueLog<String>()
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    Deferred {
      log.add("attempt")
      return Fail<RESTResponse, any Error>(
        error: RESTError(fault, request: RequestSummary(method: .get, url: nil)))
    }
    .retry(.test(scheduler)).receive(subscriber: subscriber)
    scheduler.run()
    #expect(log.all.count == 3)
    #expect(subscriber.failure != nil)
  }

  @Test("A retried value waits for demand")
  func demand() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(503), .status(200), on: scheduler)
    let subscriber = TestSubscriber<RESTResponse, any Error>(demand: .none)
    TestAPI(transport: transport).get(endpoint: "a").retry(.test(scheduler))
      .receive(subscriber: subscriber)
    subscriber.request(.max(1))
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(subscriber.unaskedCount == 0)
  }
}
