import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A reconnecting stream of server-sent events", .leakFree)
struct ServerSentEventStreamTests {
  @Test("A stream that ended reconnects after three seconds, with the id of its last event")
  func end() {
    let feed = LiveFeed([
      .events("id: 1\ndata: a\n\n", .after(.seconds(1), "id: 2\ndata: b\n\n")),
      .events("data: c\n\n", end: .silence),
    ])
    feed.begin()
    feed.scheduler.advance(by: .milliseconds(3_999))
    #expect(feed.data == ["a", "b"])
    #expect(feed.stubs.requests.count == 1)
    feed.scheduler.advance(by: .milliseconds(1))
    #expect(feed.data == ["a", "b", "c"])
    #expect(feed.subscriber.values.last?.id == "2")
    #expect(feed.ids == [nil, "2"])
    feed.subscriber.cancel()
  }

  @Test(
    "A stream that broke reconnects, and its partial event is dropped",
    arguments: [
      BodyEnd.cut, .reset,
    ])
  func breaks(end: BodyEnd) {
    let feed = LiveFeed([
      .events("id: 1\ndata: a\n\nid: 2\nda", end: end), .events("data: b\n\n", end: .silence),
    ])
    feed.begin()
    feed.scheduler.advance(by: .seconds(3))
    #expect(feed.data == ["a", "b"])
    #expect(feed.ids == [nil, "1"])
    feed.subscriber.cancel()
  }

  @Test("The first connection starts from a known id")
  func firstID() {
    let feed = LiveFeed([.events("id\ndata: a\n\n"), .events(end: .silence)])
    feed.begin(lastEventID: "41")
    feed.scheduler.advance(by: .seconds(3))
    #expect(feed.ids == ["41", nil])
    feed.subscriber.cancel()
  }

  @Test("An id that no header can carry is not sent", arguments: ["a\u{1}", "\u{7F}"])
  func controlID(id: String) {
    let feed = LiveFeed([
      .events(StubPiece(Data("id: \(id)\ndata: a\n\n".utf8))), .events(end: .silence),
    ])
    feed.begin()
    feed.scheduler.advance(by: .seconds(3))
    #expect(feed.subscriber.values.map(\.id) == [id])
    #expect(feed.ids == [nil, nil])
    feed.subscriber.cancel()
  }

  @Test("The server's wait replaces the default for all later connections")
  func retryField() {
    let feed = LiveFeed([
      .events("retry: 500\ndata: a\n\n"), .events("data: b\n\n"), .events("data: c\n\n"),
    ])
    feed.begin()
    feed.scheduler.advance(by: .milliseconds(499))
    #expect(feed.data == ["a"])
    feed.scheduler.advance(by: .milliseconds(1))
    #expect(feed.data == ["a", "b"])
    feed.scheduler.advance(by: .milliseconds(500))
    #expect(feed.data == ["a", "b", "c"])
    feed.subscriber.cancel()
  }

  @Test("A retry of zero means a tenth of a second, so an event per connection makes no busy loop")
  func noWait() {
    let feed = LiveFeed([.events("retry: 0\ndata: a\n\n")], isLasting: true)
    feed.begin()
    feed.scheduler.advance(by: .milliseconds(99))
    #expect(feed.stubs.requests.count == 1)
    feed.scheduler.advance(by: .milliseconds(901))
    #expect(feed.stubs.requests.count == 11)
    feed.subscriber.cancel()
  }

  @Test("A server's wait is capped at five minutes, and the log has the requested one")
  func longestWait() {
    let feed = LiveFeed([
      .events("retry: 1000000000000000000\ndata: a\n\n"), .events(end: .silence),
    ])
    let observed = ObservedTransport(feed.stubs, clock: feed.scheduler)
    let told = Lines()
    let watch = observed.callEvents.sink { event in
      if case .waiting = event.kind { told.add("\(event)") }
    }
    TestAPI(transport: observed).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
      .receive(subscriber: feed.subscriber)
    feed.scheduler.advance(by: .seconds(299))
    #expect(
      told.all == [
        "waits 300.0 s because the server ended the stream, instead of the 9223372036854.7 s of "
          + "its retry, see ReconnectPolicy.maxServerDelay"
      ])
    #expect(feed.stubs.requests.count == 1)
    feed.scheduler.advance(by: .seconds(1))
    #expect(feed.stubs.requests.count == 2)
    feed.subscriber.cancel()
    watch.cancel()
  }

  @Test("A 204 ends the stream for good")
  func noContent() {
    let feed = LiveFeed([.events("data: a\n\n"), .status(204)])
    feed.begin()
    feed.scheduler.run()
    #expect(feed.data == ["a"])
    #expect(feed.subscriber.isFinished)
    #expect(feed.stubs.requests.count == 2)
    #expect(feed.scheduler.now == .seconds(3))
  }

  @Test("A status other than 200 fails the stream", arguments: [201, 206, 400, 404, 501])
  func otherStatus(status: Int) {
    let feed = LiveFeed([.status(status, LiveFeed.type)])
    feed.begin()
    feed.scheduler.run()
    #expect(feed.error?.kind == .status(status))
    #expect(feed.stubs.requests.count == 1)
  }

  @Test(
    "Another Content-Type fails the stream",
    arguments: [
      "text/plain", "application/json", "", "text/event-streams", "x; text/event-stream",
    ])
  func otherType(type: String) {
    let feed = LiveFeed([
      StubbedResponse(
        headers: type.isEmpty ? [:] : ["Content-Type": type], pieces: ["data: a\n\n"])
    ])
    feed.begin()
    feed.scheduler.run()
    #expect(feed.data.isEmpty)
    #expect(feed.error?.kind == .malformedResponse)
    #expect(feed.error?.response?.statusCode == 200)
    #expect(feed.error?.response?.headers["Content-Type"] == (type.isEmpty ? nil : type))
    #expect(feed.error?.body == Data("data: a\n\n".utf8))
    #expect(feed.error?.reason.contains("text/event-stream") == true)
    #expect(feed.stubs.requests.count == 1)
    let reason = feed.error?.reason ?? ""
    #expect(feed.error?.log?.description.contains("failed because \(reason)") == true)
  }

  @Test("The body of another type is kept up to the limit of an error, and its problem is read")
  func otherTypesBody() {
    let long = String(repeating: "a", count: RESTError.maximumBodyLength)
    let page = LiveFeed([
      StubbedResponse(
        headers: ["Content-Type": "text/html"],
        pieces: [StubPiece(Data(long.utf8)), "b", "c"], end: .silence)
    ])
    page.begin()
    page.scheduler.advance(by: .zero)
    #expect(page.error?.kind == .malformedResponse)
    #expect(page.error?.body == Data(long.utf8))
    let problem = LiveFeed([
      StubbedResponse(
        headers: ["Content-Type": "application/problem+json"], pieces: [#"{"title":"#, #""Busy"}"#])
    ])
    problem.begin()
    problem.scheduler.run()
    #expect(problem.error?.problem?.title == "Busy")
  }

  @Test("Another type that becomes silent fails with what came of it")
  func otherTypesSilence() {
    let feed = LiveFeed([
      StubbedResponse(headers: ["Content-Type": "text/html"], pieces: ["<p>"], end: .silence)
    ]) { $0.responseTimeout = .seconds(5) }
    feed.begin()
    feed.scheduler.advance(by: .milliseconds(4_999))
    #expect(feed.error == nil)
    feed.scheduler.advance(by: .milliseconds(1))
    #expect(feed.error?.kind == .malformedResponse)
    #expect(feed.error?.body == Data("<p>".utf8))
  }

  @Test(
    "Its own Content-Type is accepted with parameters and in any case",
    arguments: [
      "text/event-stream; charset=utf-8", "Text/Event-Stream", "text/event-stream ;x=y",
    ])
  func sameType(type: String) {
    let feed = LiveFeed([
      StubbedResponse(headers: ["Content-Type": type], pieces: ["data: a\n\n"], end: .silence)
    ])
    feed.begin()
    feed.scheduler.advance(by: .zero)
    #expect(feed.data == ["a"])
    feed.subscriber.cancel()
  }

  @Test("Each request asks for events, and has no timeout")
  func headers() throws {
    let feed = LiveFeed([.events(end: .silence)])
    feed.begin()
    feed.scheduler.advance(by: .zero)
    let request = try #require(feed.stubs.requests.first)
    #expect(request.value(forHTTPHeaderField: "Accept") == "text/event-stream")
    #expect(request.value(forHTTPHeaderField: "Cache-Control") == "no-cache")
    #expect(request.timeoutInterval == .infinity)
    feed.subscriber.cancel()
  }

  @Test("Temporary statuses are retried, after Retry-After if the server sends it")
  func transientStatus() {
    let feed = LiveFeed([
      .status(503), .status(429, ["Retry-After": "5"]), .events("data: a\n\n", end: .silence),
    ])
    feed.begin()
    feed.scheduler.advance(by: .seconds(3))
    #expect(feed.stubs.requests.count == 2)
    feed.scheduler.advance(by: .milliseconds(7_999))
    #expect(feed.stubs.requests.count == 2)
    feed.scheduler.advance(by: .milliseconds(1))
    #expect(feed.data == ["a"])
    feed.subscriber.cancel()
  }

  @Test("A stream waits for an hour if Retry-After says so, and the log says so")
  func longRetryAfter() {
    let feed = LiveFeed([
      .status(503, ["Retry-After": "3600"]), .events("data: a\n\n"), .status(404),
    ])
    feed.begin()
    feed.scheduler.advance(by: .milliseconds(3_602_999))
    #expect(feed.stubs.requests.count == 1)
    feed.scheduler.advance(by: .milliseconds(1))
    #expect(feed.data == ["a"])
    feed.scheduler.run()
    #expect(
      feed.log.dropFirst().first
        == "waits 3603.0 s because the response was 503 with Retry-After 3600.0 seconds")
  }

  @Test("A Retry-After over the stream's own limit fails the stream, and the log says so")
  func tooLongRetryAfter() {
    for (asked, change) in [
      ("3601", { _ in }), ("5", { $0.maxRetryAfter = .seconds(4) }),
    ] as [(String, (inout ReconnectPolicy) -> Void)] {
      let feed = LiveFeed([.status(503, ["Retry-After": asked])], change: change)
      feed.begin()
      feed.scheduler.run()
      #expect(feed.error?.kind == .status(503))
      #expect(feed.log.last?.contains("longer than ReconnectPolicy.maxRetryAfter") == true)
    }
  }

  @Test(
    "After maxFailures connections in a row without an event the stream ends as the last one did")
  func failures() {
    let feed = LiveFeed(
      [.status(500), .events(), .events("data: a\n\n"), .status(500)], isLasting: true
    ) { $0.maxFailures = 3 }
    feed.begin()
    feed.scheduler.run()
    #expect(feed.data == ["a"])
    #expect(feed.stubs.requests.count == 6)
    #expect(feed.error?.kind == .status(500))
    #expect(feed.log.last?.contains("ReconnectPolicy.maxFailures") == true)
  }

  @Test("The log has each connection and the reason for it")
  func log() {
    let feed = LiveFeed([
      .events("data: a\n\n"), .events("data: b\n\n", end: .reset), .status(404),
    ])
    feed.begin()
    feed.scheduler.run()
    #expect(
      feed.log == [
        "sent, attempt 1", "waits 3.0 s because the server ended the stream",
        "sent, attempt 2, to go on with the stream",
        "waits 3.0 s because the attempt ended with connectionReset",
        "sent, attempt 3, to go on with the stream",
      ])
    #expect(feed.error?.attempts == 3)
  }

  @Test("A POST finishes when its response ends, and fails when it breaks")
  func post() {
    for (end, kind) in [
      (BodyEnd.complete, nil), (.cut, RESTError.Kind.transport(.bodyCut)),
    ] {
      let feed = LiveFeed([.events("data: a\n\n", end: end)], method: .post)
      feed.begin(.post, body: .json(["prompt": "Hello"]))
      feed.scheduler.run()
      #expect(feed.data == ["a"])
      #expect(feed.error?.kind == kind)
      #expect(feed.subscriber.isFinished == (kind == nil))
      #expect(feed.stubs.requests.count == 1)
      #expect(
        feed.stubs.requests.first?.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }
  }

  @Test("With the policy `.never`, an end finishes the stream and a break fails it")
  func never() {
    for (end, kind) in [
      (BodyEnd.complete, nil), (.cut, RESTError.Kind.transport(.bodyCut)),
    ] {
      let feed = LiveFeed([.events("data: a\n\n", end: end)]) { policy in
        let retry = policy.retry
        policy = .never
        policy.retry = retry
      }
      feed.begin()
      feed.scheduler.run()
      #expect(feed.data == ["a"])
      #expect(feed.error?.kind == kind)
      #expect(feed.stubs.requests.count == 1)
    }
  }

  @Test("An event over the limit fails the stream")
  func limit() {
    let feed = LiveFeed([.events("data: a\n\ndata: too long\n\n")])
    feed.api.serverSentEvents(endpoint: "feed", reconnecting: feed.policy, limit: 8)
      .receive(subscriber: feed.subscriber)
    feed.scheduler.run()
    #expect(feed.data == ["a"])
    #expect(feed.error?.kind == .malformedResponse)
    #expect(feed.error?.underlyingError is LineError)
    #expect(feed.error?.request?.method == .get)
    #expect(feed.error?.description.contains("api.example.com/v1/feed") == true)
  }

  @Test("An observer of the transport sees each head and each connection while the stream runs")
  func observed() {
    let feed = LiveFeed([.events("data: a\n\n"), .events("data: b\n\n", end: .silence)])
    let observed = ObservedTransport(feed.stubs, clock: feed.scheduler)
    let told = Lines()
    let watch = observed.callEvents.sink { event in
      switch event.kind {
      case .sent, .received, .waiting, .cancelled, .ended: told.add("\(event)")
      default: break
      }
    }
    TestAPI(transport: observed).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
      .receive(subscriber: feed.subscriber)
    feed.scheduler.advance(by: .seconds(3))
    #expect(
      told.all == [
        "sent, attempt 1", "answered 200 OK", "waits 3.0 s because the server ended the stream",
        "sent, attempt 2, to go on with the stream", "answered 200 OK",
      ])
    feed.subscriber.cancel()
    #expect(told.all.dropFirst(5).contains("cancelled"))
    watch.cancel()
  }
}

/// Texts, in order.
private final class Lines: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func add(_ text: String) { texts.withLock { $0.append(text) } }
}
