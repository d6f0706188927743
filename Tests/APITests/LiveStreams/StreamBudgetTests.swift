import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("The retry budget of a live stream", .leakFree)
struct StreamBudgetTests {
  @Test("The stream's own budget limits the connections while the waits grow")
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

  @Test("An hour without a network neither ends a stream nor spends the calls' budget")
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

  @Test("On an immediate scheduler each wait costs budget, and the stream ends synchronously")
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

  @Test("An event refills the stream's budget, so no number of outages ends the stream")
  func filledBudget() {
    let outage = [StubbedResponse.status(503), .status(503), .events("data: a\n\n", end: .cut)]
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

  @Test("A connection that the server accepts gives back its part of the budget, without an event")
  func acceptedConnection() {
    let feed = LiveFeed([.status(503), .events(end: .cut)], isLasting: true) { policy in
      policy.retry?.generator = TopGenerator()
      policy.maxDelay = .seconds(600)
      policy.retry?.budget = RetryBudget(burst: 2, successesPerRetry: 2)
    }
    feed.begin()
    feed.scheduler.run()
    #expect(feed.stubs.requests.count == 4)
  }
}
