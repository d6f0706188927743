import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("JSON text sequences, RFC 7464", .leakFree)
struct JSONSequenceTests {
  private func decoded<Item: Decodable & Sendable>(
    _ text: String, as type: Item.Type, limit: Int = 1 << 20
  ) -> (values: [Item], failure: (any Error)?, hasFinished: Bool) {
    [Data(text.utf8)].body.decodeLines(of: type, format: .textSequence, limit: limit).outcome()
  }

  @Test("Each record is a value, however chunks cut it")
  func records() {
    let text =
      "\u{1E}{\"a\":1}\n\u{1E}{\n \"a\":\n2}\n\u{1E}\u{1E}\n\u{1E} {\"a\":3}\r\n\n\u{1E}{\"a\\n]\":5,\"a\":4}"
    for chunks in Data(text.utf8).cuts(seed: 1) {
      for demand in [Subscribers.Demand.unlimited, .max(1)] {
        let outcome = chunks.body.decodeLines(of: [String: Int].self, format: .textSequence)
          .outcome(demand: demand)
        #expect(outcome.values.compactMap { $0["a"] } == [1, 2, 3, 4], "\(chunks.map(\.count))")
        #expect(outcome.hasFinished)
      }
    }
  }

  @Test("A record is delivered with the line feed after its text, before the next record begins")
  func promptness() {
    let source = TestPublisher<Data, any Error>()
    let subscriber = TestSubscriber<[Int], any Error>()
    source.decodeLines(of: [Int].self, format: .textSequence).subscribe(subscriber)
    source.send(Data("\u{1E}[1,\n".utf8))
    #expect(subscriber.values.isEmpty)
    source.send(Data("2]\n".utf8))
    #expect(subscriber.values == [[1, 2]])
    subscriber.cancel()
  }

  @Test(
    "A bracket, a quote and a line feed in a string do not end a record",
    arguments: [#""]""#, #""\"""#, #""\\""#, #"["}", "\\\""]"#, #"{"]":"{"}"#])
  func strings(text: String) {
    let outcome = decoded("\u{1E}\(text)\n\u{1E}\"last\"\n", as: AnyJSON.self)
    #expect(outcome.values.count == 2)
    #expect(outcome.hasFinished)
  }

  @Test(
    "A number or literal without whitespace after it may be cut, and fails",
    arguments: ["12", "true", "null"])
  func truncation(text: String) throws {
    #expect(decoded("\u{1E}\(text)\n", as: AnyJSON.self).values.count == 1)
    #expect(decoded("\u{1E}\(text) ", as: AnyJSON.self).values.count == 1)
    for body in ["\u{1E}\(text)", "\u{1E}\(text)\u{1E}[]\n"] {
      let outcome = decoded(body, as: AnyJSON.self)
      #expect(outcome.values.isEmpty)
      let error = try #require(outcome.failure as? RESTError)
      #expect(error.kind == .malformedResponse)
      #expect("\(error)".hasPrefix("record 1 of the body may be cut"))
      #expect((error.underlyingError as? LineError)?.line == 1)
    }
  }

  @Test("A record cut by the next one fails, or is skipped with skippingInvalid")
  func cutRecord() throws {
    let text = "\u{1E}{\"a\": [1\u{1E}{\"a\": 2}\n\u{1E}\"x\u{1E}{\"a\": 3}\n"
    let outcome = decoded(text, as: [String: Int].self)
    #expect((outcome.failure as? RESTError)?.kind == .malformedResponse)
    let told = TellingBox()
    let skipped = [Data(text.utf8)].body
      .decodeLines(of: [String: Int].self, format: .textSequence, skippingInvalid: { told.add($0) })
      .outcome()
    #expect(skipped.values == [["a": 2], ["a": 3]])
    #expect(told.errors.map { ($0.underlyingError as? LineError)?.line } == [1, 3])
  }

  @Test(
    "A text without a separator before it fails, and the error names the format to use",
    arguments: ["1\n", "\u{1E}1\n2\n"])
  func separator(text: String) throws {
    let error = try #require(decoded(text, as: Int.self).failure as? RESTError)
    #expect("\(error)".contains("does not begin with a record separator"))
    #expect("\(error)".contains(".newlineDelimited"))
  }

  @Test("The limit applies to a record")
  func limit() throws {
    let outcome = decoded("\u{1E}[1]\n\u{1E}[1,2]\n", as: [Int].self, limit: 4)
    #expect(outcome.values == [[1]])
    let error = try #require(outcome.failure as? RESTError)
    #expect("\(error)".hasPrefix("record 2 of the body is longer than the limit of 4 bytes"))
  }
}

/// Any JSON.
private struct AnyJSON: Decodable, Sendable {
  init(from decoder: any Decoder) throws {}
}
