import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("A response that is no stream fails for its head, and an error names the request", .leakFree)
struct RefusedStreamTests {
  @Test("A body of another type, or of a refused status, that is cut does not count as a break")
  func cut() {
    for end in [BodyEnd.cut, .reset] {
      let page = LiveFeed([
        StubbedResponse(headers: ["Content-Type": "text/html"], pieces: ["<p>"], end: end)
      ])
      page.begin()
      page.scheduler.run()
      #expect(page.error?.kind == .malformedResponse)
      #expect(page.error?.body == Data("<p>".utf8))
      #expect(page.stubs.requests.count == 1)
      let missing = LiveFeed([StubbedResponse(statusCode: 404, pieces: ["gone"], end: end)])
      missing.begin()
      missing.scheduler.run()
      #expect(missing.error?.kind == .status(404))
      #expect(missing.error?.body == Data("gone".utf8))
      #expect(missing.stubs.requests.count == 1)
    }
  }

  @Test("The error says whether the type is missing or another one")
  func type() {
    for (headers, reason) in [
      ([:], "has no Content-Type"), (["Content-Type": ""], "has no Content-Type"),
      (["Content-Type": "text/html"], "is not text/event-stream"),
    ] as [(HTTPHeaders, String)] {
      let feed = LiveFeed([StubbedResponse(headers: headers, pieces: ["<p>"])])
      feed.begin()
      feed.scheduler.run()
      #expect(feed.error?.reason.contains(reason) == true)
    }
  }

  @Test("A transient status whose body is cut keeps its Retry-After")
  func transient() {
    let feed = LiveFeed([
      StubbedResponse(
        statusCode: 503, headers: ["Retry-After": "60"], pieces: ["busy"], end: .cut),
      .events("data: a\n\n", end: .silence),
    ])
    feed.begin()
    feed.scheduler.advance(by: .milliseconds(62_999))
    #expect(feed.stubs.requests.count == 1)
    feed.scheduler.advance(by: .milliseconds(1))
    #expect(feed.data == ["a"])
    feed.subscriber.cancel()
  }

  @Test("The errors of lines and of events name the request, also those of chunks")
  func request() {
    func check<Value: Sendable>(
      _ piece: StubPiece,
      _ parts: (AnyPublisher<TransferEvent, any Error>) ->
        AnyPublisher<Value, any Error>
    ) {
      let file = GrowingFile([.file(nil, piece)])
      let subscriber = TestSubscriber<Value, any Error>()
      parts(file.events).receive(subscriber: subscriber)
      file.scheduler.run()
      let error = subscriber.failure as? RESTError
      #expect(error?.underlyingError is LineError)
      #expect(error?.request?.method == .get)
      #expect(error?.description.contains("api.example.com/v1/feed") == true)
    }
    func chunks(_ events: AnyPublisher<TransferEvent, any Error>) -> AnyPublisher<Data, any Error> {
      events.compactMap { if case .chunk(let chunk) = $0 { chunk } else { nil } }
        .eraseToAnyPublisher()
    }
    check("too long\n") { $0.lines(limit: 4) }
    check("too long\n") { chunks($0).lines(limit: 4) }
    check("data: too long\n\n") { $0.serverSentEvents(limit: 8) }
    check("data: too long\n\n") { chunks($0).serverSentEvents(limit: 8) }
  }
}
