import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The events of 190 inputs, in any chunks", .leakFree)
struct EventCorpusTests {
  struct Input: Decodable, Sendable {
    struct Event: Decodable, Sendable {
      let type: String
      let data: String
      let id: String
    }

    let hex: String
    let events: [Event]
    let lastEventID: String
    let retry: Int?
  }

  @Test("The corpus has enough inputs")
  func size() {
    #expect(Corpus.entries("Lines/events", of: Input.self).count >= 150)
  }

  @Test(
    "Each cut of an input gives the same events, last id and reconnection time",
    arguments: Corpus.entries("Lines/events", of: Input.self))
  func events(input: Corpus.Entry<Input>) throws {
    let data = Data(hex: input.content.hex)
    let expected = input.content.events.map {
      ServerSentEvent(type: $0.type, data: $0.data, id: $0.id)
    }
    for chunks in data.cuts(seed: UInt64(input.location.line)) {
      var parser = ServerSentEventParser(limit: 1 << 20)
      var events: [ServerSentEvent] = []
      for chunk in chunks {
        parser.receive(chunk)
        while let event = try parser.next() { events.append(event) }
      }
      let cut = Comment(rawValue: "cut to \(chunks.map(\.count))")
      #expect(events == expected, cut, sourceLocation: input.location)
      #expect(parser.lastEventID == input.content.lastEventID, cut, sourceLocation: input.location)
      #expect(
        parser.reconnectionTime == input.content.retry.map { .milliseconds($0) }, cut,
        sourceLocation: input.location)
      let outcome = chunks.body.serverSentEvents().outcome(demand: .max(1))
      #expect(outcome.values == expected, cut, sourceLocation: input.location)
      #expect(outcome.hasFinished, sourceLocation: input.location)
    }
  }
}
