import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("Retries at their limits")
struct RetryLimitTests {
  private func host() throws -> Origin {
    Origin(try #require(URL(string: "https://a.example")))
  }

  @Test("RT-13: a budget needs one success at least", arguments: [Int.min, -1, 0, 1])
  func oneSuccess(successes: Int) throws {
    let budget = RetryBudget(burst: 1, successesPerRetry: successes)
    let host = try host()
    #expect(budget.successesPerRetry == 1)
    #expect(budget.take(for: host) == 0)
    #expect(budget.take(for: host) == nil)
    budget.noteSuccess(of: host)
    #expect(budget.take(for: host) == 0)
  }

  @Test("RT-13: a full budget remembers no host")
  func full() throws {
    let budget = RetryBudget(burst: 2, successesPerRetry: 2)
    let host = try host()
    #expect(budget.isFull)
    #expect(budget.take(for: host) == 1)
    budget.noteSuccess(of: host)
    #expect(!budget.isFull)
    budget.noteSuccess(of: host)
    #expect(budget.isFull)
  }

  @Test("RT-10: an error page over the limit has no Retry-After, so 413 is not retried")
  func hugeRefusal() {
    let rule = RetryRule(policy: RetryPolicy())
    let page = AttemptOutcome.fault(
      .limitExceeded(.errorBodyBytes), mayHaveBeenProcessed: true, status: 413)
    #expect(!rule.isTransient(page))
    #expect(rule.isTransient(.status(413, retryAfter: .zero)))
  }

  @Test("RT-11: an immediate response arrives within any time limit")
  func atOnce() {
    let call = RetriedCall(.status(200)) { $0.totalTime = .zero }
    #expect(call.status == 200)
    #expect(call.sends == 1)
  }

  @Test("RT-11: after a wait for the token the attempt has the remaining time")
  func timeIsLeft() {
    let call = RetriedCall(waitingForToken: .seconds(2))
    #expect(call.status == 200)
    #expect(call.transport.times == [.seconds(2)])
  }

  @Test("RT-16: an attempt that was cut is in the log as failed")
  func cutAttempt() {
    let call = RetriedCall(.silence, .status(200)) {
      $0.attemptTimeout = .seconds(2)
      $0.totalTime = nil
    }
    let reasons = call.log.compactMap { event in
      if case .failed(let reason) = event.kind { reason } else { nil }
    }
    #expect(call.status == 200)
    #expect(reasons.contains { $0.contains("RetryPolicy.attemptTimeout") })
  }

  @Test("RT-09: an upload is not cut, even with little time for an attempt")
  func upload() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(201), on: scheduler, taking: .seconds(5))
    let subscriber = TestSubscriber<UploadEvent, any Error>()
    TestAPI(transport: transport).upload(.put, endpoint: "a", body: .data(Data("a".utf8)))
      .retry(.test(scheduler) { $0.attemptTimeout = .seconds(1) }).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.isFinished)
    #expect(transport.times == [.zero])
  }

  @Test("RT-09: a complete download does not begin again, even if 200 is not a good status")
  func download() throws {
    let folder = try TemporaryFolder()
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(200, body: Data("x".utf8)), on: scheduler)
    let subscriber = TestSubscriber<DownloadEvent, any Error>()
    TestAPI(transport: transport).download(endpoint: "a", to: folder.url.appending(path: "f"))
      .retry(.test(scheduler) { $0.statuses = Set(100...199) }).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.isFinished)
    #expect(transport.requests.count == 1)
    #expect(try folder.names == ["f"])
  }
}
