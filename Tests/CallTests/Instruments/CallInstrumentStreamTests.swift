import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("An instrument sees exchanges that outlast a response", .leakFree)
struct CallInstrumentStreamTests {
  private let transcript = Transcript()

  @Test("Each connection of a live stream is an exchange that ends when it breaks or is cancelled")
  func connections() {
    let feed = LiveFeed([
      .events("data: a\n\n", end: .reset), .events("data: b\n\n", end: .silence),
    ])
    let observed = ObservedTransport(feed.stubs, clock: feed.scheduler)
    let end = observed.instrument(with: transcript)
    TestAPI(transport: observed).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
      .receive(subscriber: feed.subscriber)
    feed.scheduler.advance(by: .seconds(10))
    #expect(feed.data == ["a", "b"])
    #expect(
      transcript.lines == [
        "1 begins", "1 sends GET /v1/feed, attempt 1, first",
        "1 ends GET /v1/feed 200 (connectionReset)",
        "1 sends GET /v1/feed, attempt 2, reconnect",
      ])
    feed.subscriber.cancel()
    #expect(
      transcript.lines.dropFirst(4).sorted() == [
        "1 ends", "1 ends GET /v1/feed 200 (cancelled)",
      ])
    end.cancel()
  }

  @Test("A cache's refresh behind a stale response is a call of its own")
  func behind() {
    let (transport, scheduler) = (HeldTransport(), TestScheduler())
    let cache = HTTPCache(date: { CacheWorld.start + scheduler.now / .seconds(1) })
    let observed = ObservedTransport(transport, clock: scheduler)
    let end = observed.instrument(with: transcript)
    let call = CacheWorld.api(over: observed, cache: cache).get(endpoint: "a")
    let subscribers = (0..<2).map { _ in TestSubscriber<RESTResponse, any Error>() }
    call.receive(subscriber: subscribers[0])
    transport.answer(
      0,
      headers: [
        "Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": #""v1""#,
      ])
    scheduler.advance(by: .seconds(61))
    call.receive(subscriber: subscribers[1])
    transport.answer(1, 304)
    #expect(subscribers.map(\.values.count) == [1, 1])
    #expect(transcript.lines.count { $0.hasPrefix("2 sends") } == 0)
    #expect(
      transcript.lines.filter { $0.hasPrefix("3") } == [
        "3 begins", "3 sends GET /a, attempt 1, first", "3 ends GET /a 304", "3 ends",
      ])
    end.cancel()
  }
}
