import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("Lines of a body in chunks", .leakFree)
struct LinesTests {
  private func chunks(_ texts: String...) -> AnyPublisher<Data, any Error> {
    texts.map { Data($0.utf8) }.body
  }

  private func lineError(_ failure: (any Error)?) throws -> LineError {
    try #require((failure as? RESTError)?.underlyingError as? LineError)
  }

  @Test(
    "One line is delivered per demand, and a chunk is requested only after its lines are used up")
  func demand() {
    let source = TestPublisher<Data, any Error>()
    let subscriber = TestSubscriber<String, any Error>(demand: .max(1))
    source.lines().subscribe(subscriber)
    #expect(source.send(Data("a\nb\nc".utf8)) == .none)
    #expect(subscriber.values == ["a"])
    subscriber.request(.max(1))
    #expect(subscriber.values == ["a", "b"])
    #expect(source.requests == [.max(1)])
    subscriber.request(.max(1))
    #expect(source.requests == [.max(1), .max(1)])
    source.send(completion: .finished)
    #expect(subscriber.values == ["a", "b", "c"])
    #expect(subscriber.isFinished)
  }

  @Test("A line has 1 MiB at most, unless a caller says otherwise", arguments: [0, 1])
  func defaultLimit(excess: Int) throws {
    let text = String(repeating: "x", count: 1 << 20 + excess)
    let url = try #require(URL(string: "https://api.example.com/a"))
    let events = [
      TransferEvent.head(ResponseHead(url: url, statusCode: 200, headers: [:])),
      .chunk(Data(text.utf8)),
    ].publisher.setFailureType(to: (any Error).self)
    for outcome in [chunks(text).lines().outcome(), events.lines().outcome()] {
      #expect(outcome.values.map(\.utf8.count) == (excess == 0 ? [1 << 20] : []))
      #expect((outcome.failure == nil) == (excess == 0))
    }
    let field = "data: "
    let event = "\(field)\(text.dropFirst(field.count))\n\n"
    let sizes = chunks(event).serverSentEvents().outcome().values.map(\.data.utf8.count)
    #expect(sizes == (excess == 0 ? [1 << 20 - field.count] : []))
    // A string of so many bytes with its quotes.
    let json = "\"\(text.dropLast(2))\""
    for outcome in [
      chunks(json).decodeLines(of: String.self).outcome(),
      [TransferEvent.chunk(Data(json.utf8))].publisher.setFailureType(to: (any Error).self)
        .decodeLines(of: String.self).outcome(),
    ] {
      #expect(outcome.values.count == (excess == 0 ? 1 : 0))
      #expect((outcome.failure == nil) == (excess == 0))
    }
  }

  @Test("A cut body fails after its whole lines, without the partial line")
  func cut() {
    let body = chunks("a\nb\nhal").cut
    for demand in [Subscribers.Demand.unlimited, .max(1)] {
      let outcome = body.lines().outcome(demand: demand)
      #expect(outcome.values == ["a", "b"])
      #expect(outcome.failure is Cut)
    }
  }

  @Test("Failure type Never and other failure types give the same lines")
  func failures() {
    let infallible = [Data("a\nb".utf8)].publisher
    #expect(infallible.lines().outcome().values == ["a", "b"])
    let typed = infallible.setFailureType(to: Cut.self).append(Fail(error: Cut()))
    #expect(typed.lines().outcome().failure is Cut)
  }

  @Test(
    "A line of exactly the limit passes, with any end, with a mark before it, in any chunks",
    arguments: ["\n", "\r\n", ""])
  func limit(end: String) {
    for data in [Data("abcd\(end)".utf8), Data("\u{FEFF}abcd\(end)".utf8)] {
      for chunks in data.cuts(seed: 1) {
        let outcome = chunks.body.lines(limit: 4).outcome()
        #expect(outcome.values == ["abcd"], "\(chunks.map(\.count))")
        #expect(outcome.hasFinished)
      }
    }
  }

  @Test(
    "A line over the limit fails with its number and the limit, after the lines before it",
    arguments: ["abcde\nf\n", "abcde", "abcd\r", "abcd\rf\n", "abcd\r\r\n", "é天x\n"])
  func excess(line: String) throws {
    for chunks in Data("a\n\n\(line)".utf8).cuts(seed: 1) {
      let outcome = chunks.body.lines(limit: 4).outcome()
      #expect(outcome.values == ["a", ""], "\(chunks.map(\.count))")
      let error = try lineError(outcome.failure)
      #expect(error.kind == .tooLong(limit: 4))
      #expect(error.line == 3)
    }
  }

  @Test("Half a byte order mark does not count as a line that is too long")
  func halfMark() {
    for chunks in Data("\u{FEFF}\na\n".utf8).cuts(seed: 1) {
      #expect(chunks.body.lines(limit: 1).outcome().values == ["", "a"])
    }
  }

  @Test("A line that exceeds the limit fails before its end comes, and cancels the exchange")
  func excessWithoutEnd() throws {
    let source = TestPublisher<Data, any Error>()
    let subscriber = TestSubscriber<String, any Error>()
    source.lines(limit: 10).subscribe(subscriber)
    source.send(Data("0123456".utf8))
    #expect(subscriber.failure == nil)
    source.send(Data("789x".utf8))
    #expect(try lineError(subscriber.failure).kind == .tooLong(limit: 10))
    #expect(source.cancelCount == 1)
  }

  @Test("The default limit is 1 MiB, and the limit may be unlimited")
  func defaultLimit() {
    let line = String(repeating: "x", count: 1 << 20)
    #expect(chunks(line, "\n").lines().outcome().values.map(\.utf8.count) == [1 << 20])
    #expect(chunks(line, "x\n").lines().outcome().values.isEmpty)
    #expect(chunks(line, "x\n").lines(limit: .max).outcome().values.count == 1)
  }

  @Test("Errors name the line, the limit, the place and the remedy, and show no text")
  func texts() {
    let long = chunks("secret\n").lines(limit: 3).outcome().failure
    #expect(
      long.map { "\($0)" }
        == "line 1 of the body is longer than the limit of 3 bytes. Check that the body is in the format that is read, or raise the operator's `limit`."
    )
    let invalid = [Data("a\nsé".utf8), Data([0xFF])].body.lines(invalidUTF8: .fail).outcome()
      .failure
    #expect(
      invalid.map { "\($0)" }
        == "line 2 of the body is not UTF-8 at its byte 3. Have the server send UTF-8, or leave `invalidUTF8` at .replace."
    )
    #expect((long as? RESTError)?.kind == .malformedResponse)
    #expect(
      ((long as? RESTError)?.underlyingError).map { "\($0)" } == "line 1: tooLong(limit: 3)")
  }

  @Test("A line in a thousand chunks is one line, separate from the next one")
  func manyChunks() {
    let pieces = (0..<1_000).map { Data("\($0),".utf8) } + [Data("\nnext\n".utf8)]
    let outcome = pieces.body.lines().outcome()
    #expect(outcome.values == [(0..<1_000).map { "\($0)," }.joined(), "next"])
  }

  @Test("Chunks that are slices, or empty, are read from their start index")
  func slices() {
    let whole = Data("....a\nb\n....".utf8)
    let outcome = [Data(), whole[4..<7], Data(), whole[7..<8]].body.lines().outcome()
    #expect(outcome.values == ["a", "b"])
  }

  @Test("Of an exchange's events only the chunks count, with any status or progress")
  func events() throws {
    let head = ResponseHead(
      url: try #require(URL(string: "https://h.example/")), statusCode: 404,
      headers: ["Content-Type": "text/plain; charset=iso-8859-1"])
    let events: [TransferEvent] = [
      .head(head), .chunk(Data("é\n".utf8.prefix(1))), .chunk(Data("é\nb".utf8.dropFirst(1))),
    ]
    let outcome = events.publisher.lines().outcome()
    #expect(outcome.values == ["é", "b"])
    #expect(outcome.hasFinished)
  }
}
