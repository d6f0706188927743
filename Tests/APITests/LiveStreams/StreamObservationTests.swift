import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("Observation of a running live stream", .leakFree)
struct StreamObservationTests {
  private final class Told: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private let reset =
    "The connection broke before the response was complete (a stub's fault); its status was 200; "
    + "the server may have processed the request"

  @Test("Each head, connection and outcome is reported when it comes")
  func events() {
    let feed = LiveFeed([
      .events("data: a\n\n", .after(.seconds(2), ": still here\n"), end: .reset),
      .events("data: b\n\n", end: .silence),
    ])
    let told = Told()
    let observed = ObservedTransport(feed.stubs, clock: feed.scheduler) { told.add("\($0)") }
    let watch = observed.callEvents.sink { event in
      switch event.kind {
      case .built: break
      default: told.add("\(event)")
      }
    }
    TestAPI(transport: observed).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
      .receive(subscriber: feed.subscriber)
    feed.scheduler.advance(by: .seconds(1))
    #expect(told.all == ["sent, attempt 1", "answered 200 OK"])
    feed.scheduler.advance(by: .seconds(1))
    #expect(told.all.count == 5)
    feed.scheduler.advance(by: .seconds(3))
    #expect(
      Array(told.all.dropFirst(2)) == [
        "GET /v1/feed → failed (\(reset)) in 2000 ms", "failed because \(reset)",
        "waits 3.0 s because the attempt ended with connectionReset",
        "sent, attempt 2, to go on with the stream", "answered 200 OK",
      ])
    feed.subscriber.cancel()
    #expect(told.all.suffix(2) == ["cancelled", "ended"])
    watch.cancel()
  }

  @Test("The log of a stream with a response of another type ends with that failure")
  func otherType() throws {
    let feed = LiveFeed([.status(200, ["Content-Type": "text/html"])])
    feed.begin()
    feed.scheduler.run()
    let error = try #require(feed.error)
    #expect(error.kind == .malformedResponse)
    #expect(error.attempts == 1)
    let log = error.log?.events.map(\.description) ?? []
    #expect(log.contains("failed because \(error.reason)"))
  }

  @Test("Observation requests no more than a subscriber that takes one event at a time")
  func demand() {
    let feed = LiveFeed([.events("data: a\n\ndata: b\n\n", end: .silence)], demand: .max(1))
    let observed = ObservedTransport(feed.stubs, clock: feed.scheduler) { _ in }
    let watch = observed.callEvents.sink { _ in }
    TestAPI(transport: observed).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
      .receive(subscriber: feed.subscriber)
    feed.scheduler.advance(by: .seconds(60))
    #expect(feed.data == ["a"])
    feed.subscriber.request(.max(1))
    #expect(feed.data == ["a", "b"])
    feed.subscriber.cancel()
    watch.cancel()
  }
}
