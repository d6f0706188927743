import Fixtures
import Foundation
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import RESTKit

@Suite("Server-sent events, HTML 9.2", .leakFree)
struct ServerSentEventTests {
  private func events(_ text: String) -> [ServerSentEvent] {
    let outcomes = Data(text.utf8).cuts(seed: 1).map { $0.body.serverSentEvents().outcome() }
    #expect(outcomes.allSatisfy { $0.hasFinished && $0.values == outcomes[0].values })
    return outcomes[0].values
  }

  // The examples of the standard, in its order.

  @Test("Three messages are three events, the last with two lines")
  func messages() {
    let text = """
      data: This is the first message.

      data: This is the second message, it
      data: has two lines.

      data: This is the third message.


      """
    #expect(
      events(text) == [
        ServerSentEvent(data: "This is the first message."),
        ServerSentEvent(data: "This is the second message, it\nhas two lines."),
        ServerSentEvent(data: "This is the third message."),
      ])
  }

  @Test("Two types give events of two types")
  func types() {
    let text = """
      event: add
      data: 73857293

      event: remove
      data: 2153

      event: add
      data: 113411


      """
    #expect(
      events(text) == [
        ServerSentEvent(type: "add", data: "73857293"),
        ServerSentEvent(type: "remove", data: "2153"),
        ServerSentEvent(type: "add", data: "113411"),
      ])
  }

  @Test("Three data lines of a stock ticker are one event")
  func lines() {
    #expect(events("data: YHOO\ndata: +2\ndata: 10\n\n") == [ServerSentEvent(data: "YHOO\n+2\n10")])
  }

  @Test(
    "Comments, ids, an empty id, a leading space and a cut last event are read as in the standard")
  func ids() {
    let text = """
      : test stream

      data: first event
      id: 1

      data:second event
      id

      data:  third event
      """
    #expect(
      events(text) == [
        ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
      ])
    #expect(events(text + "\n\n").last == ServerSentEvent(data: " third event"))
  }

  @Test("Empty data gives events, and a block without an end gives none")
  func emptyData() {
    #expect(
      events("data\n\ndata\ndata\n\ndata:") == [
        ServerSentEvent(data: ""), ServerSentEvent(data: "\n"),
      ])
  }

  @Test("A space behind the colon is ignored, so two events are the same")
  func spaces() {
    #expect(
      events("data:test\n\ndata: test\n\n") == [
        ServerSentEvent(data: "test"), ServerSentEvent(data: "test"),
      ])
  }

  // Further guarantees.

  @Test("An event that a carriage return ends comes at once; a line feed behind it is not a line")
  func promptness() {
    let source = TestPublisher<Data, any Error>()
    let subscriber = TestSubscriber<ServerSentEvent, any Error>()
    source.serverSentEvents().subscribe(subscriber)
    source.send(Data("data: a\r\r".utf8))
    #expect(subscriber.values == [ServerSentEvent(data: "a")])
    source.send(Data("\ndata: b\r\n\r\n".utf8))
    #expect(subscriber.values.last == ServerSentEvent(data: "b"))
    subscriber.cancel()
  }

  @Test("One event is delivered per demand")
  func demand() {
    let source = TestPublisher<Data, any Error>()
    let subscriber = TestSubscriber<ServerSentEvent, any Error>(demand: .max(1))
    source.serverSentEvents().subscribe(subscriber)
    source.send(Data("data: a\n\ndata: b\n\n".utf8))
    #expect(subscriber.values.count == 1)
    #expect(source.requests == [.max(1)])
    subscriber.request(.max(1))
    #expect(subscriber.values.count == 2)
    subscriber.cancel()
  }

  @Test("A cut body fails after its whole events")
  func cut() {
    let outcome = [Data("data: a\n\ndata: b\n".utf8)].body.cut
      .serverSentEvents().outcome()
    #expect(outcome.values == [ServerSentEvent(data: "a")])
    #expect(outcome.failure is Cut)
  }

  @Test(
    "A line over the limit, or data of several lines over it, fails with the line's number",
    arguments: [
      ("data: a\n\n: 23456789", LineError.Kind.tooLong(limit: 8), 3),
      ("data: a\ndata: b\ndata: 78\ndata: 90\n\n", .eventTooLong(limit: 8), 4),
      ("\n: 23456789", .tooLong(limit: 8), 2), ("\r\n: 23456789", .tooLong(limit: 8), 2),
    ])
  func limit(text: String, kind: LineError.Kind, line: Int) throws {
    for chunks in Data(text.utf8).cuts(seed: 1) {
      let failure = chunks.body.serverSentEvents(limit: 8).outcome().failure
      let error = try #require((failure as? RESTError)?.underlyingError as? LineError)
      #expect(error.kind == kind)
      #expect(error.line == line)
    }
    let fits = "data: a\ndata: b\ndata: 78\ndata: 9\n\n"
    #expect([Data(fits.utf8)].body.serverSentEvents(limit: 8).outcome().values.count == 1)
  }

  @Test("The error for an event that is too long names the remedy")
  func limitText() {
    let failure = [Data("data: a\ndata: 2345\n".utf8)].body.serverSentEvents(limit: 10).outcome()
      .failure
    #expect(failure == nil)
    let long = [Data("data: 2345\ndata: 2345\ndata: 2345\n".utf8)].body.serverSentEvents(limit: 10)
      .outcome().failure
    #expect(
      long.map { "\($0)" }
        == "the data of the event at line 3 of the body is longer than the limit of 10 bytes. Check that the server ends its events with an empty line, or raise the operator's `limit`."
    )
  }

  @Test("The parser keeps the previous response's id, and caps a number that is too large")
  func parser() throws {
    var parser = ServerSentEventParser(limit: 100, lastEventID: "7")
    #expect(parser.lastEventID == "7")
    parser.receive(Data("data: a\nretry: 99999999999999999999999\nid: 8\n".utf8))
    #expect(try parser.next() == nil)
    #expect(parser.lastEventID == "7")
    #expect(parser.reconnectionTime == .milliseconds(Int.max))
    parser.receive(Data("\n".utf8))
    #expect(try parser.next() == ServerSentEvent(data: "a", id: "8"))
    #expect(parser.lastEventID == "8")
    parser.receive(Data(": ping".utf8))
    #expect(try parser.next() == nil)
  }

  @Test("The JSON of an event's data is decoded, or fails like decode")
  func decoded() throws {
    struct Price: Decodable, Equatable {
      let cents: Int
    }
    let event = ServerSentEvent(data: "{\"cents\":\n7}")
    #expect(try event.decoded(as: Price.self) == Price(cents: 7))
    let shape = #expect(throws: RESTError.self) {
      try ServerSentEvent(data: "{\"cents\":\"x\"}").decoded(as: Price.self)
    }
    #expect(shape?.kind == .decoding)
    #expect(shape?.body == Data("{\"cents\":\"x\"}".utf8))
    #expect(
      shape?.reason
        == "an event's data does not decode as ServerSentEventTests.Price: \"cents\" is a string and must be of type Int"
    )
    let text = #expect(throws: RESTError.self) {
      try ServerSentEvent(data: "[DONE]").decoded(as: Price.self)
    }
    #expect(text?.kind == .malformedResponse)
    #expect(text?.underlyingError is DecodingError)
  }

  @Test("Ten million events take the memory of two chunks and a line")
  func memory() {
    #if DEBUG
      let count = 70_000
    #else
      let count = 10_000_000
    #endif
    // Seven events in three chunks: none but the third ends where an event does.
    let text = Data("id: 1\r\ndata: 0123456789\n\n: a comment\n".utf8)
    let seven = Data((0..<7).flatMap { _ in text })
    let pieces = [seven[..<100], seven[100..<157], seven[157...]]
    let alive = LiveChunks()
    let delivered = Counter()
    let body = (0..<count / 7 * 3).publisher.map { alive.chunk(of: pieces[$0 % 3]) }
    // With a limit below a chunk's size, an excess over a line fails.
    let subscription = body.serverSentEvents(limit: 20).sink(
      receiveCompletion: { _ in }, receiveValue: { _ in delivered.add() })
    #expect(delivered.value == count / 7 * 7)
    #expect(alive.most <= 2)
    #expect(alive.now == 0)
    withExtendedLifetime(subscription) {}
  }
}

/// Counts the chunks that are still held.
private final class LiveChunks: Sendable {
  private let state = Mutex((now: 0, most: 0))

  var now: Int { state.withLock { $0.now } }
  var most: Int { state.withLock { $0.most } }

  func chunk(of bytes: Data) -> Data {
    state.withLock { state in
      state.now += 1
      state.most = max(state.most, state.now)
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    guard let start = copy.baseAddress else { return Data() }
    bytes.copyBytes(to: copy)
    return Data(
      bytesNoCopy: start, count: bytes.count,
      deallocator: .custom { address, _ in
        address.deallocate()
        self.state.withLock { $0.now -= 1 }
      })
  }
}
