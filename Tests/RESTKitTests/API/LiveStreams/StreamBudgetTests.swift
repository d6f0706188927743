import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("What a live stream pays for its connections", .leakFree)
struct StreamBudgetTests {
  @Test("A budget bounds what is tried while the waits grow, and it is the stream's own")
  func budget() throws {
    let budget = RetryBudget(burst: 2, successesPerRetry: 10)
    let feed = LiveFeed(
      [.events("data: a\n\n", end: .cut), .events("data: b\n\n", end: .cut), .status(503)],
      isLasting: true
    ) { policy in
      policy.retry?.generator = TopGenerator()
      policy.maxDelay = .seconds(600)
      policy.retry?.budget = budget
    }
    feed.begin()
    feed.scheduler.run()
    #expect(feed.data == ["a", "b"])
    #expect(feed.stubs.requests.count == 5)
    #expect(feed.error?.kind == .status(503))
    #expect(feed.log.last?.contains("RetryBudget") == true)
    #expect(budget.remaining(for: try #require(URL(string: LiveFeed.url))) == 2)
  }

  @Test("An hour without a network neither ends a stream nor takes from the budget of the calls")
  func outage() throws {
    let budget = RetryBudget()
    let feed = LiveFeed([.status(503)], isLasting: true) { policy in
      policy.retry?.generator = TopGenerator()
      policy.maxDelay = .seconds(30)
      policy.retry?.budget = budget
    }
    feed.begin()
    feed.scheduler.advance(by: .seconds(3_600))
    #expect(feed.stubs.requests.count > 100)
    #expect(!feed.subscriber.isFinished && feed.subscriber.failure == nil)
    #expect(budget.remaining(for: try #require(URL(string: LiveFeed.url))) == 10)
    feed.subscriber.cancel()
  }

  @Test("Where waits take no time, each is paid for, and the stream ends in the subscribing call")
  func immediate() {
    let feed = LiveFeed([.status(503)], isLasting: true) { policy in
      policy.retry?.scheduler = .immediate
      policy.retry?.budget = RetryBudget(burst: 10, successesPerRetry: 10)
      policy.maxFailures = 100
    }
    feed.begin()
    #expect(feed.error?.kind == .status(503))
    #expect(feed.stubs.requests.count == 11)
  }

  @Test("An event fills the stream's budget again: no number of outages ends it")
  func filledBudget() {
    let outage = [StubAnswer.status(503), .status(503), .events("data: a\n\n", end: .cut)]
    let feed = LiveFeed(
      (0..<5).flatMap { _ in outage } + [.events(end: .silence)]
    ) { policy in
      policy.retry?.generator = TopGenerator()
      policy.maxDelay = .seconds(600)
      policy.retry?.budget = RetryBudget(burst: 2, successesPerRetry: 10)
    }
    feed.begin()
    feed.scheduler.advance(by: .seconds(160))
    #expect(feed.data == ["a", "a", "a", "a", "a"])
    #expect(feed.stubs.requests.count == 16)
    feed.subscriber.cancel()
  }
}
