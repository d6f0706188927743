import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("A response is read in the form that its Content-Type names", .leakFree)
struct DecodeMessagesTests {
  private func run(
    _ type: String?, _ pieces: [StubPiece], status: Int = 200, end: BodyEnd = .complete,
    limit: Int = 100, demand: Subscribers.Demand = .unlimited
  ) -> TestSubscriber<[Int], any Error> {
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    let file = GrowingFile([
      StubbedResponse(statusCode: status, headers: headers, pieces: pieces, end: end)
    ])
    let subscriber = TestSubscriber<[Int], any Error>(demand: demand)
    file.events.decodeMessages(of: [Int].self, limit: limit).receive(subscriber: subscriber)
    // A silence has no end.
    if end == .silence { file.scheduler.advance(by: .zero) } else { file.scheduler.run() }
    return subscriber
  }

  @Test(
    "A JSON text is one value, also in pieces",
    arguments: ["application/json", "Application/JSON; charset=utf-8", "application/x+json"])
  func text(type: String) {
    let subscriber = run(type, ["[1,", "2]"])
    #expect(subscriber.values == [[1, 2]])
    #expect(subscriber.isFinished)
  }

  @Test("Each event is a value, as it arrives")
  func events() {
    let subscriber = run(
      "text/event-stream", ["data: [1]\n\ndata: [2]", "\n\n"], end: .silence)
    #expect(subscriber.values == [[1], [2]])
    #expect(subscriber.completion == nil)
    subscriber.cancel()
  }

  @Test("Each line and each record is a value")
  func lines() {
    for type in ["application/x-ndjson", "application/ndjson", "application/jsonl"] {
      #expect(run(type, ["[1]\n\n[", "2]"]).values == [[1], [2]])
    }
    for end in ["[2]\n", "[2]"] {
      #expect(
        run("application/json-seq", ["\u{1E}[1]\n\u{1E}", StubPiece(Data(end.utf8))]).values == [
          [1], [2],
        ])
    }
  }

  @Test(
    "A value that a break cuts in two is whole after the response that goes on",
    arguments: [
      ("application/json", "[1,", "2]"), ("application/jsonl", "[1]\n[", "2]\n"),
      ("text/event-stream", "data: [1]\n\ndata: [", "2]\n\n"),
      ("application/json-seq", "\u{1E}[1]\n\u{1E}[", "2]\n"),
    ])
  func goesOn(type: String, first: String, rest: String) {
    let length = first.utf8.count
    let range = "bytes \(length)-\(length + rest.utf8.count - 1)/*"
    let file = GrowingFile([
      StubbedResponse(
        headers: ["Content-Type": type], pieces: [StubPiece(Data(first.utf8))], end: .cut),
      StubbedResponse(
        statusCode: 206, headers: ["Content-Type": type, "Content-Range": range],
        pieces: [StubPiece(Data(rest.utf8))]),
    ])
    let subscriber = TestSubscriber<[Int], any Error>()
    file.events
      .retry(file.retry) { request, offset in request.asking(from: offset) }
      .decodeMessages(of: [Int].self).receive(subscriber: subscriber)
    file.scheduler.run()
    #expect(subscriber.values == (type == "application/json" ? [[1, 2]] : [[1], [2]]))
    #expect(subscriber.isFinished)
  }

  @Test("A response that begins anew leaves nothing of the one before, also in another form")
  func beginsAnew() {
    let file = GrowingFile([
      StubbedResponse(
        headers: ["Content-Type": "application/json", "ETag": "\"a\""], pieces: ["[1,"],
        end: .cut),
      StubbedResponse(
        headers: ["Content-Type": "application/jsonl", "ETag": "\"b\""], pieces: ["[7]\n"]),
      .unsatisfied(4),
    ])
    let subscriber = TestSubscriber<[Int], any Error>()
    file.events
      .follow(file.policy, ifReplaced: .beginAgain) { $0.asking(from: $1) }
      .decodeMessages(of: [Int].self, limit: 5).receive(subscriber: subscriber)
    file.scheduler.advance(by: .seconds(3))
    #expect(subscriber.values == [[7]])
    subscriber.cancel()
  }

  @Test("Values come one at a time")
  func demand() {
    let subscriber = run("text/event-stream", ["data: [1]\n\ndata: [2]\n\n"], demand: .max(1))
    #expect(subscriber.values == [[1]])
    subscriber.request(.max(1))
    #expect(subscriber.values == [[1], [2]])
    let text = run("application/json", ["[1]"], demand: .none)
    #expect(text.values.isEmpty)
    text.cancel()
  }

  @Test("A response that says that there is nothing has no values", arguments: [202, 204, 205])
  func nothing(status: Int) {
    let subscriber = run(nil, [], status: status)
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.isFinished)
  }

  @Test("Another type fails with the head and the body", arguments: ["text/html", nil])
  func otherType(type: String?) throws {
    let error = try #require(run(type, ["<p>"]).failure as? RESTError)
    #expect(error.kind == .malformedResponse)
    #expect(error.response?.headers["Content-Type"] == type)
    #expect(error.body == Data("<p>".utf8))
    #expect(error.request?.method == .get)
  }

  @Test("A refused status fails with its body")
  func refused() {
    let error = run("application/json", ["[1]"], status: 404).failure as? RESTError
    #expect(error?.kind == .status(404))
    #expect(error?.body == Data("[1]".utf8))
  }

  @Test("What does not decode, and what is cut or too long, fails behind the values before it")
  func failures() {
    for (type, pieces) in [
      ("application/json", ["[1,"]), ("text/event-stream", ["data: [1]\n\ndata: x\n\n"]),
      ("application/ndjson", ["[1]\nx\n"]), ("application/json-seq", ["\u{1E}[1]\n\u{1E}x\n"]),
    ] as [(String, [StubPiece])] {
      let subscriber = run(type, pieces)
      #expect(subscriber.values == (type == "application/json" ? [] : [[1]]))
      let error = subscriber.failure as? RESTError
      #expect(error?.kind == .malformedResponse)
      #expect(error?.request?.method == .get)
    }
    let cut = run("application/json", ["[1]"], end: .cut)
    #expect(cut.values.isEmpty)
    #expect((cut.failure as? RESTError)?.kind == .transport(.bodyCut))
    #expect(run("application/json", ["[1,", "2]"], limit: 5).values == [[1, 2]])
    let long = run("application/json", ["[1,", "2]"], limit: 4).failure as? RESTError
    #expect(long?.reason == "the body is longer than the limit of 4 bytes")
  }
}
