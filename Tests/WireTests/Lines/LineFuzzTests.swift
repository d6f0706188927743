import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("Lines and events against a plain reader", .timeLimit(.minutes(10)))
struct LineFuzzTests {
  private static let pieces = [
    "\n", "\n", "\r", "\r\n", "\n\n", "\r\r", "data: a", "data", "data:", "event: e", "id: 7", "id",
    "id:\0", ": c", "retry: 5", ":", " ", "é", "天", "😀", "\u{FEFF}", "\u{2028}", "\u{85}", "\u{C}",
    "\u{1E}", "{\"a\":1}", "[1,\n2]", "\"", "\\",
  ]

  /// A body of pieces, with a few of its bytes changed.
  private func body(_ generator: inout SeededGenerator) -> [UInt8] {
    let text = generator.text(of: Self.pieces, 0...14)
    return generator.mutated(Array(text.utf8), pieces: Self.pieces, 0...4)
  }

  private func chunks(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [Data] {
    generator.cut(bytes, pieces: generator.number(0...5)).map { Data($0) }
  }

  @Test("Each body has the same lines", arguments: Fuzz.seeds)
  func lines(seed: UInt64) {
    Fuzz.run(seed, cases: 4_000) { generator, drawn in
      let bytes = body(&generator)
      let lines = chunks(bytes, &generator).body.lines().outcome()
      let expected = ReferenceLines.lines(bytes)
      guard lines.values.map({ Array($0.utf8) }) == expected.map({ Array($0.utf8) }) else {
        return drawn.fail("\(bytes) has the lines \(lines.values), not \(expected)")
      }
    }
  }

  @Test("Each body has the same events", arguments: Fuzz.seeds)
  func events(seed: UInt64) {
    var count = 0
    Fuzz.run(seed, cases: 4_000) { generator, drawn in
      let bytes = body(&generator)
      let (expected, lastID) = ReferenceLines.events(bytes)
      var parser = ServerSentEventParser(limit: 1 << 20)
      var events: [ReferenceLines.Event] = []
      for chunk in chunks(bytes, &generator) {
        parser.receive(chunk)
        while let event = try? parser.next() {
          events.append(.init(type: event.type, data: event.data, id: event.id))
        }
      }
      count += events.count
      guard events == expected, parser.lastEventID == lastID else {
        return drawn.fail("\(bytes) has the events \(events), not \(expected)")
      }
    }
    #expect(count > 100)
  }

  @Test("A sequence of records is the same in any chunks, and never traps", arguments: Fuzz.seeds)
  func records(seed: UInt64) {
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let bytes = Array("\u{1E}[1]\n\u{1E}".utf8) + body(&generator)
      let results = [[Data(bytes)], chunks(bytes, &generator)].map { chunks in
        chunks.body.decodeLines(of: [Int].self, format: .textSequence, skippingInvalid: { _ in })
          .outcome().values
      }
      guard results[0] == results[1], results[0].first == [1] else {
        return drawn.fail("\(bytes) has the records \(results)")
      }
    }
  }

  @Test(
    "A limit holds for each line, and the lines before a longer one are kept",
    arguments: Fuzz.seeds)
  func limits(seed: UInt64) {
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let bytes = Array(String(decoding: body(&generator), as: UTF8.self).utf8)
      let limit = generator.number(0...12)
      let expected = ReferenceLines.lines(bytes)
      let short = Array(expected.prefix { $0.utf8.count <= limit })
      let outcome = chunks(bytes, &generator).body.lines(limit: limit).outcome()
      guard outcome.values == short, outcome.hasFinished == (short.count == expected.count) else {
        return drawn.fail("\(bytes) has the lines \(outcome.values) of at most \(limit) bytes")
      }
    }
  }
}
