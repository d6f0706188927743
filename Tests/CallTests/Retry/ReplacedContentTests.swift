import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A stream that resumes sees the head, and what it does with another version", .leakFree)
struct ReplacedContentTests {
  private func lines(
    of file: GrowingFile, version: ContentVersion = .entityTag,
    ifReplaced replaced: ReplacedContent = .fail,
    change: @escaping @Sendable (URLRequest) -> URLRequest = { $0 }
  ) -> TestSubscriber<String, any Error> {
    let subscriber = TestSubscriber<String, any Error>()
    file.events
      .retry(file.retry, version: version, ifReplaced: replaced) { change($0.asking(from: $1)) }
      .validateStatus().lines().receive(subscriber: subscriber)
    file.scheduler.run()
    return subscriber
  }

  // MARK: The head

  @Test("The closure sees the head of the response that brought the last byte, not a later one")
  func headOfBytes() {
    let file = GrowingFile([
      .file("\"a\"", "on", end: .cut), .status(503, ["ETag": "\"busy\""]),
      .part("\"a\"", from: 2, "e\n", end: .cut), .part("\"a\"", from: 4, "two"),
    ])
    let heads = ValueLog<String>()
    let subscriber = TestSubscriber<String, any Error>()
    file.events
      .retry(file.retry) { request, offset, head in
        heads.add("\(head.statusCode) \(head.headers["ETag"] ?? "-") \(offset)")
        return request.asking(from: offset)
      }
      .lines().receive(subscriber: subscriber)
    file.scheduler.run()
    #expect(subscriber.values == ["one", "two"])
    #expect(heads.all == ["200 \"a\" 2", "200 \"a\" 2", "206 \"a\" 4"])
  }

  @Test("With a cursor, the closure sees the last value and the head of its response")
  func headOfValues() {
    let file = GrowingFile([
      StubbedResponse(headers: ["Cursor": "x"], pieces: ["1\n2\n"], end: .cut),
      .status(503, ["Cursor": "none"]),
      StubbedResponse(headers: ["Cursor": "y"], pieces: ["3\n"], end: .cut),
      StubbedResponse(pieces: ["4\n"]),
    ])
    let subscriber = TestSubscriber<Int, any Error>()
    file.events.decodeLines(of: Int.self)
      .retry(file.retry) { request, last, head in
        request.settingHeader("After", to: "\(last) of \(head.headers["Cursor"] ?? "-")")
      }
      .receive(subscriber: subscriber)
    file.scheduler.run()
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(file.field("After") == [nil, "2 of x", "2 of x", "3 of y"])
  }

  @Test("A closure with a head fails a stream whose last value came without a response")
  func noHead() {
    let mark = StreamDelivery<Int>.Mark(last: 1, length: 0)
    let error = #expect(throws: RESTError.self) { try mark.requireHead() }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.reason.contains("no response") == true)
  }

  // MARK: Another version fails

  @Test("Another version fails with an error of its own, which has the place and the head")
  func fails() throws {
    for (answer, status) in [
      (StubbedResponse.part("\"b\"", from: 6, "x"), 206), (.part(nil, from: 6, "x"), 206),
      (.file("\"b\"", "new\n"), 200), (.file(nil, "new\n"), 200),
      (.unsatisfied(5), 416), (.unsatisfied(6, tag: "\"b\""), 416),
    ] {
      let file = GrowingFile([.file("\"a\"", "one\ntw", end: .cut), answer])
      let subscriber = lines(of: file)
      #expect(subscriber.values == ["one"])
      let error = try #require(subscriber.failure as? RESTError)
      #expect((error.underlyingError as? ContentReplacedError)?.offset == 6)
      #expect(error.response?.statusCode == status)
      #expect(error.remedy.contains("ifReplaced: .beginAgain"))
      #expect(error.request?.method == .get)
      #expect(file.stubs.requests.count == 2)
    }
  }

  @Test("A server that ignores the Range of the same version has not replaced the content")
  func sameVersion() throws {
    for replaced in [ReplacedContent.fail, .beginAgain] {
      let file = GrowingFile([.file("\"a\"", "one\ntw", end: .cut), .file("\"a\"", "one\ntwo\n")])
      let subscriber = lines(of: file, ifReplaced: replaced)
      #expect(subscriber.values == ["one"])
      let error = try #require(subscriber.failure as? RESTError)
      #expect(error.kind == .status(200))
      #expect(error.underlyingError == nil)
    }
  }

  @Test("A whole body without any condition says nothing about the version, and fails")
  func unknownVersion() {
    let file = GrowingFile([.file(nil, "one\ntw", end: .cut), .file(nil, "one\ntwo\n")])
    let subscriber = lines(of: file, ifReplaced: .beginAgain)
    #expect(subscriber.values == ["one"])
    #expect((subscriber.failure as? RESTError)?.kind == .status(200))
  }

  // MARK: Beginning again

  @Test("The new content replaces the old in the same response, and no line has bytes of both")
  func beginsInPlace() {
    let file = GrowingFile([
      .file("\"a\"", "one\ntw", end: .cut), .file("\"b\"", "new\nli", end: .cut),
      .part("\"b\"", from: 6, "ne\n"),
    ])
    let subscriber = lines(of: file, ifReplaced: .beginAgain)
    #expect(subscriber.values == ["one", "new", "line"])
    #expect(subscriber.isFinished)
    #expect(file.field("Range") == [nil, "bytes=6-", "bytes=6-"])
    #expect(file.field("If-Range") == [nil, "\"a\"", "\"b\""])
  }

  @Test("After a part of another version, or a shorter file, the whole content is requested")
  func beginsWithAnotherRequest() {
    for answer in [
      StubbedResponse.part("\"b\"", from: 6, "x"), .unsatisfied(5), .unsatisfied(6, tag: "\"b\""),
    ] {
      let file = GrowingFile([
        .file("\"a\"", "one\ntw", end: .cut), answer,
        .file("\"b\"", "new\nli", end: .cut), .part("\"b\"", from: 6, "ne\n"),
      ])
      let subscriber = lines(of: file, ifReplaced: .beginAgain)
      #expect(subscriber.values == ["one", "new", "line"])
      #expect(subscriber.isFinished)
      #expect(file.field("Range") == [nil, "bytes=6-", nil, "bytes=6-"])
      #expect(file.field("If-Range") == [nil, "\"a\"", nil, "\"b\""])
    }
  }

  @Test("Beginning again is an attempt, so a server that has no version for long ends the stream")
  func attempts() {
    let file = GrowingFile([
      .file("\"a\"", "one\n", end: .cut), .unsatisfied(1), .file(nil, end: .reset), .file(nil),
    ])
    let subscriber = lines(of: file, ifReplaced: .beginAgain)
    let error = subscriber.failure as? RESTError
    #expect(error?.kind == .transport(.connectionReset))
    #expect(error?.log?.description.contains("the content was replaced") == true)
    #expect(file.stubs.requests.count == 3)
  }

  @Test("JSON lines and events begin anew with the content, too")
  func otherParsers() {
    func file(_ old: StubPiece, _ new: StubPiece) -> GrowingFile {
      GrowingFile([.file("\"a\"", old, end: .cut), .file("\"b\"", new)])
    }
    let lines = file("1\n2", "3\nx\n")
    let numbers = TestSubscriber<Int, any Error>()
    lines.events.retry(lines.retry, ifReplaced: .beginAgain) { $0.asking(from: $1) }
      .decodeLines(of: Int.self).receive(subscriber: numbers)
    lines.scheduler.run()
    #expect(numbers.values == [1, 3])
    #expect((numbers.failure as? RESTError)?.reason.hasPrefix("line 2 of the body") == true)
    let records = file("\u{1E}1\n\u{1E}2", "\u{1E}3\n")
    let texts = TestSubscriber<Int, any Error>()
    records.events.retry(records.retry, ifReplaced: .beginAgain) { $0.asking(from: $1) }
      .decodeLines(of: Int.self, format: .textSequence).receive(subscriber: texts)
    records.scheduler.run()
    #expect(texts.values == [1, 3])
    let feed = file("id: 1\ndata: a\n\ndata: hal", "\u{FEFF}data: b\n\n")
    let events = TestSubscriber<ServerSentEvent, any Error>()
    feed.events.retry(feed.retry, ifReplaced: .beginAgain) { $0.asking(from: $1) }
      .serverSentEvents().receive(subscriber: events)
    feed.scheduler.run()
    #expect(events.values == [ServerSentEvent(data: "a", id: "1"), ServerSentEvent(data: "b")])
  }

  // MARK: The length as the version

  @Test("With the length as the version, a tag that changes as the file grows is no other version")
  func length() {
    let file = GrowingFile([
      .file("\"4\"", "one\n", end: .cut), .part("\"8\"", from: 4, "two\n", end: .cut),
      .unsatisfied(8, tag: "\"9\""),
    ])
    let subscriber = lines(of: file, version: .length)
    #expect(subscriber.values == ["one", "two"])
    #expect(subscriber.isFinished)
    #expect(file.field("If-Range") == [nil, nil, nil])
    let shorter = GrowingFile([.file("\"4\"", "one\n", end: .cut), .unsatisfied(3)])
    #expect(
      (lines(of: shorter, version: .length).failure as? RESTError)?.underlyingError
        is ContentReplacedError)
  }

  @Test("With the length as the version, an If-Range of the closure's is sent and compared")
  func ownCondition() {
    for (answer, isReplaced) in [
      (StubbedResponse.part("\"own\"", from: 4, "two"), false),
      (.part("\"b\"", from: 4, "two"), true), (.file("\"b\"", "new"), true),
      (.file("\"own\"", "one\ntwo"), false),
    ] {
      let file = GrowingFile([.file("\"a\"", "one\n", end: .cut), answer])
      let subscriber = lines(of: file, version: .length) {
        $0.settingHeader("If-Range", to: "\"own\"")
      }
      #expect(file.field("If-Range") == [nil, "\"own\""])
      let error = subscriber.failure as? RESTError
      #expect((error?.underlyingError is ContentReplacedError) == isReplaced)
    }
    // A date is no tag that a part could have.
    let date = GrowingFile([.file(nil, "one\n", end: .cut), .part("\"b\"", from: 4, "two")])
    let subscriber = lines(of: date) {
      $0.settingHeader("If-Range", to: "Sun, 06 Nov 1994 08:49:37 GMT")
    }
    #expect(subscriber.values == ["one", "two"])
  }

  // MARK: No byte behind the place

  @Test("A 416 that says that the content ends at the place finishes the stream")
  func complete() {
    for end in [BodyEnd.complete, .cut, .reset] {
      let file = GrowingFile([.file("\"a\"", "one\ntwo", end: .cut), .unsatisfied(7, end: end)])
      let subscriber = lines(of: file)
      #expect(subscriber.values == ["one", "two"])
      #expect(subscriber.isFinished)
    }
  }

  @Test("Another 416 is a status as any other")
  func otherUnsatisfied() {
    for answer in [StubbedResponse.unsatisfied(nil), .unsatisfied(8)] {
      let file = GrowingFile([.file("\"a\"", "one\ntwo", end: .cut), answer])
      let error = lines(of: file).failure as? RESTError
      #expect(error?.kind == .status(416))
      #expect(error?.body == Data("<p>416</p>".utf8))
    }
    let items = GrowingFile([.file(nil, "one\ntwo", end: .cut), .unsatisfied(7)])
    let error = lines(of: items) { $0.settingHeader("Range", to: "items=7-") }.failure as? RESTError
    #expect(error?.kind == .status(416))
  }

  @Test("The body of such a 416 is read for ten seconds at most")
  func dripping() throws {
    let clock = Lock(ContinuousClock.now)
    let source = TestPublisher<TransferEvent, any Error>()
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    let url = try #require(URL(string: LiveFeed.url))
    source.through(
      ResumedRange(
        place: .part(RangeQuery(range: "bytes=7-")),
        request: RequestSummary(method: .get, url: url),
        journal: nil, now: { clock.withLock { $0 } })
    ).receive(subscriber: subscriber)
    source.send(
      .head(ResponseHead(url: url, statusCode: 416, headers: ["Content-Range": "bytes */7"])))
    clock.withLock { $0 += .seconds(9) }
    source.send(.chunk(Data("a".utf8)))
    #expect(!subscriber.isFinished)
    clock.withLock { $0 += .seconds(1) }
    source.send(.chunk(Data("b".utf8)))
    #expect(subscriber.isFinished)
    #expect(subscriber.values.isEmpty)
    #expect(source.cancelCount == 1)
  }
}
