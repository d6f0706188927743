import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("Long ids of a live stream", .leakFree)
struct StreamIDTests {
  private func piece(idOf count: Int) -> StubPiece {
    StubPiece(Data("id: \(String(repeating: "é", count: count / 2))\ndata: a\n\n".utf8))
  }

  @Test("An id of 4 KiB is sent; after a longer one the stream fails with the reason")
  func limit() throws {
    let feed = LiveFeed([.events(piece(idOf: 4_096)), .events(piece(idOf: 4_098))])
    feed.begin()
    feed.scheduler.run()
    #expect(feed.data == ["a", "a"])
    #expect(feed.subscriber.values.last?.id.utf8.count == 4_098)
    #expect(feed.ids.map { $0?.utf8.count } == [nil, 4_096])
    let error = try #require(feed.error)
    #expect(error.kind == .invalidRequest)
    #expect(error.reason.contains("4098 bytes"))
    #expect(error.reason.contains("ReconnectPolicy.maxIDBytes is 4096"))
    #expect(error.request?.method == .get)
    #expect(error.attempts == 2)
    #expect(error.log?.description.contains("maxIDBytes") == true)
  }

  @Test("The request's own field is sent until the server sends an id, or clears it")
  func ownField() {
    for (text, later) in [
      ("data: a\n\n", "own"), ("id: 7\ndata: a\n\n", "7"), ("id: 7\n\nid\ndata: a\n\n", nil),
      ("id\ndata: a\n\n", nil), ("id: \u{1}\ndata: a\n\n", nil), ("data: a\n\nid: 7\n", "own"),
      ("id: 1 2\t3\ndata: a\n\n", "1 2\t3"), ("id: 1\u{1F}\ndata: a\n\n", nil),
      ("id: 1\u{8}\ndata: a\n\n", nil), ("id: 1\u{7F}\ndata: a\n\n", nil),
    ] as [(String, String?)] {
      let feed = LiveFeed([.events(StubPiece(Data(text.utf8))), .events(end: .silence)])
      feed.api.serverSentEvents(
        endpoint: "feed", headers: ["last-event-id": "own"], reconnecting: feed.policy
      ).receive(subscriber: feed.subscriber)
      feed.scheduler.advance(by: .seconds(3))
      #expect(feed.ids == ["own", later], "\(text)")
      feed.subscriber.cancel()
    }
  }

  @Test("A cleared id stays cleared over a connection without an id")
  func clearedForGood() {
    let feed = LiveFeed([
      .events("id: 1\ndata: a\n\n"), .events("id\ndata: b\n\n"), .events("data: c\n\n"),
      .events(end: .silence),
    ])
    feed.api.serverSentEvents(
      endpoint: "feed", headers: ["Last-Event-ID": "own"], reconnecting: feed.policy
    ).receive(subscriber: feed.subscriber)
    feed.scheduler.advance(by: .seconds(9))
    #expect(feed.ids == ["own", "1", nil, nil])
    feed.subscriber.cancel()
  }

  @Test("An id that cannot be sent is in the log, until another one comes")
  func lostID() {
    let feed = LiveFeed([
      .events(StubPiece(Data("id: \u{1}\ndata: a\n\n".utf8))), .events("data: b\n\n"),
      .events("id: 2\ndata: c\n\n"), .status(404),
    ])
    feed.begin()
    feed.scheduler.run()
    let wait = "waits 3.0 s because the server ended the stream"
    let remark = ", and goes on without the last id, which no header field can carry"
    #expect(
      feed.log.filter { $0.hasPrefix("waits") } == [wait + remark, wait + remark, wait])
  }

  @Test("An id of the caller that cannot be sent is in the log, too")
  func lostIDOfCaller() {
    let feed = LiveFeed([.status(503), .status(404)])
    feed.api.serverSentEvents(
      endpoint: "feed", lastEventID: "\u{1}", reconnecting: feed.policy
    )
    .receive(subscriber: feed.subscriber)
    feed.scheduler.run()
    #expect(feed.ids == [nil, nil])
    #expect(
      feed.log.filter { $0.hasPrefix("waits") }.allSatisfy { $0.contains("without the last id") })
    #expect(feed.log.contains { $0.hasPrefix("waits") })
  }

  @Test("The limit can be raised")
  func raised() {
    let feed = LiveFeed([.events(piece(idOf: 6_000)), .events(end: .silence)]) {
      $0.maxIDBytes = 6_000
    }
    feed.begin()
    feed.scheduler.advance(by: .seconds(3))
    #expect(feed.ids.map { $0?.utf8.count } == [nil, 6_000])
    feed.subscriber.cancel()
  }

  @Test("A stream that does not reconnect does not fail for its id")
  func complete() {
    let feed = LiveFeed([.events(piece(idOf: 6_000))]) { $0.reconnectsAfterEnd = false }
    feed.begin()
    feed.scheduler.run()
    #expect(feed.data == ["a"])
    #expect(feed.subscriber.isFinished)
  }

  @Test("An initial id that is too long fails before anything is sent")
  func first() {
    let feed = LiveFeed([.events()])
    feed.begin(lastEventID: String(repeating: "1", count: 5_000))
    #expect(feed.error?.kind == .invalidRequest)
    #expect(feed.error?.attempts == 0)
    #expect(feed.stubs.requests.isEmpty)
  }
}
