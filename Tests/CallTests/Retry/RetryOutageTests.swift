import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("RT-13: an outage is not amplified")
struct RetryOutageTests {
  /// The requests and successes of the given number of calls, one every ten milliseconds.
  private func sends(
    calls: Int = 1_000, budget: RetryBudget?, base: String = "https://api.example.com",
    answer: @escaping @Sendable (Int) -> Int
  ) -> (requests: Int, successes: Int) {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in .status(answer(number)) }
    var policy = RetryPolicy.test(scheduler) { $0.budget = budget }
    policy.generator = SeededGenerator(seed: 13)
    let publisher = TestAPI(baseURL: base, transport: transport).get(endpoint: "a").retry(policy)
    let subscribers = (0..<calls).map { _ in
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      publisher.receive(subscriber: subscriber)
      scheduler.advance(by: .milliseconds(10))
      return subscriber
    }
    scheduler.run()
    #expect(subscribers.allSatisfy { $0.values.count == 1 && $0.isFinished })
    return (transport.requests.count, subscribers.count { $0.values.first?.isSuccess == true })
  }

  @Test("While a host fails completely, a thousand calls make ten retries, not two thousand")
  func fullOutage() {
    #expect(sends(budget: RetryBudget()) { _ in 503 }.requests == 1_010)
    #expect(sends(calls: 100, budget: nil) { _ in 503 }.requests == 300)
  }

  @Test("While half of the responses fail, there is one retry for ten successes")
  func partialOutage() {
    let answers = Lock(SeededGenerator(seed: 1))
    let (requests, successes) = sends(calls: 400, budget: RetryBudget()) { _ in
      answers.withLock { Bool.random(using: &$0) } ? 200 : 503
    }
    #expect(requests <= 400 + 10 + successes / 10)
    #expect(requests > 420)
  }

  @Test("Single failures are all retried")
  func singleFailures() {
    let (requests, successes) = sends(calls: 200, budget: RetryBudget()) {
      $0.isMultiple(of: 20) ? 503 : 200
    }
    #expect(successes == 200)
    #expect(requests == 200 + requests / 20)
  }

  @Test("After an outage retries return with the successes")
  func recovery() throws {
    let budget = RetryBudget()
    _ = sends(calls: 100, budget: budget) { _ in 503 }
    let url = try #require(URL(string: "https://api.example.com"))
    #expect(budget.remaining(for: url) == 0)
    _ = sends(calls: 50, budget: budget) { _ in 200 }
    #expect(budget.remaining(for: url) == 5)
    #expect(sends(calls: 1, budget: budget) { $0 == 1 ? 503 : 200 }.successes == 1)
  }

  @Test("A host's outage takes nothing from another host's budget")
  func hosts() {
    let budget = RetryBudget()
    #expect(sends(calls: 100, budget: budget) { _ in 503 }.requests == 110)
    #expect(
      sends(calls: 100, budget: budget, base: "https://b.example.com") { _ in 503 }.requests == 110)
  }

  @Test("The log has the remaining budget, and says when it is spent")
  func events() {
    let call = RetriedCall(.status(503)) {
      $0.maxAttempts = 10
      $0.budget = RetryBudget(burst: 3)
    }
    #expect(call.waits.map(\.budget) == [2, 1, 0])
    #expect(call.status == 503)
    #expect(call.refusal == "the host has failed so often that its RetryBudget is spent")
  }

  @Test("Copies of a policy share its budget, and another policy has its own")
  func sharing() throws {
    let first = RetryPolicy()
    var copy = first
    copy.maxAttempts = 7
    #expect(first.budget === copy.budget)
    #expect(first.budget !== RetryPolicy().budget)
  }
}
