import Fixtures
import Foundation
import RESTKitTesting
import StreamsTesting
import Testing

@testable import RESTKit
@testable import Streams

@Suite("Silence of a live stream, and missing demand", .leakFree)
struct StreamSilenceTests {
  @Test("Silence counts as broken, and a comment ends the silence")
  func silence() {
    let feed = LiveFeed([
      .events(
        "data: a\n\n", .after(.seconds(9), ": still here\n"), .after(.seconds(9), "data: b\n\n"),
        end: .silence),
      .events("data: c\n\n", end: .silence),
    ]) { $0.silence = .seconds(10) }
    feed.begin()
    feed.scheduler.advance(by: .seconds(28))
    #expect(feed.data == ["a", "b"])
    #expect(feed.stubs.requests.count == 1)
    feed.scheduler.advance(by: .seconds(3))
    #expect(feed.data == ["a", "b", "c"])
    feed.subscriber.cancel()
    #expect(feed.scheduler.pendingCount == 0)
  }

  @Test("By default a stream may be silent for any time")
  func unlimited() {
    let feed = LiveFeed([
      .events("data: a\n\n", .after(.seconds(86_400), "data: b\n\n"), end: .silence)
    ])
    feed.begin()
    feed.scheduler.advance(by: .seconds(86_400))
    #expect(feed.data == ["a", "b"])
    feed.subscriber.cancel()
  }

  @Test("A missing head within responseTimeout is a temporary fault")
  func head() {
    let feed = LiveFeed([.events(end: .silence)]) { policy in
      policy.responseTimeout = .seconds(5)
      policy.maxFailures = 2
    }
    let silent = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: LiveFeed.url), pieces: [], delay: .seconds(60)
      ).always(), scheduler: feed.scheduler)
    TestAPI(transport: silent).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
      .receive(subscriber: feed.subscriber)
    feed.scheduler.run()
    #expect(feed.scheduler.now == .seconds(13))
    #expect(feed.error?.kind == .transport(.timedOut))
    #expect(feed.error?.reason.contains("ReconnectPolicy.responseTimeout") == true)
    let fault = feed.error?.underlyingError as? TransportError
    #expect(fault?.mayHaveBeenProcessed == true)
  }

  @Test("A policy that never reconnects finishes at the end of a response")
  func never() {
    let feed = LiveFeed([.events("data: a\n\n"), .events("data: b\n\n")]) { policy in
      let retry = policy.retry
      policy = .never
      policy.retry = retry
    }
    feed.begin()
    feed.scheduler.run()
    #expect(feed.data == ["a"])
    #expect(feed.subscriber.isFinished)
    #expect(!ReconnectPolicy.never.reconnectsAfterEnd)
  }

  @Test("On an immediate scheduler, silence and late heads are not limited")
  func immediate() {
    let feed = LiveFeed([]) { policy in
      policy.retry?.scheduler = .immediate
      policy.silence = .seconds(10)
      policy.maxFailures = 3
    }
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: LiveFeed.url), headers: LiveFeed.type,
        pieces: [.after(.seconds(60), "data: a\n\n")], end: .silence, delay: .seconds(5)
      ).always(), scheduler: feed.scheduler)
    TestAPI(transport: stubs).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
      .receive(subscriber: feed.subscriber)
    feed.scheduler.advance(by: .seconds(65))
    #expect(feed.data == ["a"])
    #expect(stubs.requests.count == 1)
    feed.subscriber.cancel()
    #expect(feed.scheduler.pendingCount == 0)
  }

  @Test("The body of a failed response has a timeout, too")
  func refusal() {
    let busy = StubbedResponse(statusCode: 503, pieces: ["bu"], end: .silence)
    let feed = LiveFeed([busy, .events("data: a\n\n", end: .silence)]) { policy in
      policy.responseTimeout = .seconds(5)
    }
    feed.begin()
    feed.scheduler.advance(by: .seconds(8))
    #expect(feed.data == ["a"])
    #expect(feed.stubs.requests.count == 2)
    feed.subscriber.cancel()
  }

  @Test("A failed response that becomes silent fails the stream with what came of it")
  func refusalInPart() {
    let busy = StubbedResponse(statusCode: 503, pieces: ["bu"], end: .silence)
    let feed = LiveFeed([busy]) { policy in
      policy.responseTimeout = .seconds(5)
      policy.maxFailures = 1
    }
    feed.begin()
    feed.scheduler.advance(by: .seconds(8))
    #expect(feed.error?.kind == .status(503))
    #expect(feed.error?.body == Data("bu".utf8))
    #expect(feed.stubs.requests.count == 1)
  }

  @Test("A subscriber without demand gets nothing, and does not count as silence")
  func demand() {
    let feed = LiveFeed(
      [.events("data: a\n\n", "data: b\n\n", "data: c\n\n", end: .silence)], demand: .max(1)
    ) { $0.silence = .seconds(10) }
    feed.begin()
    feed.scheduler.advance(by: .seconds(100))
    #expect(feed.data == ["a"])
    feed.subscriber.request(.max(1))
    feed.scheduler.advance(by: .zero)
    #expect(feed.data == ["a", "b"])
    #expect(feed.stubs.requests.count == 1)
    #expect(feed.subscriber.unaskedCount == 0)
    feed.subscriber.cancel()
  }

  @Test("Unfulfilled demand carries over to the next connection")
  func demandGoesOn() {
    let feed = LiveFeed(
      [.events("data: a\n\n"), .events("data: b\n\ndata: c\n\n", end: .silence)], demand: .max(2))
    feed.begin()
    feed.scheduler.advance(by: .seconds(3))
    #expect(feed.data == ["a", "b"])
    feed.subscriber.cancel()
  }

  @Test("A cancel ends the stream before the head, between events, and during a wait")
  func cancel() {
    for time in [Duration.milliseconds(500), .milliseconds(1_500), .milliseconds(3_000)] {
      let feed = LiveFeed([])
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.get, urlString: LiveFeed.url), headers: LiveFeed.type,
          pieces: ["data: a\n\n", .wait(.seconds(1))], delay: .seconds(1)
        ).always(), scheduler: feed.scheduler)
      TestAPI(transport: stubs).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
        .receive(subscriber: feed.subscriber)
      feed.scheduler.advance(by: time)
      feed.subscriber.cancel()
      #expect(feed.scheduler.pendingCount == 0)
      feed.scheduler.run()
      #expect(stubs.requests.count == 1)
      #expect(!feed.subscriber.isFinished)
    }
  }
}
