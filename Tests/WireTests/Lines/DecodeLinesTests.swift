import Fixtures
import Foundation
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import RESTKit

@Suite("JSON lines of a body in chunks", .leakFree)
struct DecodeLinesTests {
  private struct Row: Codable, Equatable, Sendable {
    let id: Int
    var name: String?
  }

  private func decoded(
    _ text: String, limit: Int = 1 << 20
  ) -> (values: [Row], failure: (any Error)?, hasFinished: Bool) {
    [Data(text.utf8)].body.decodeLines(of: Row.self, limit: limit).outcome()
  }

  @Test("Each line is a value, however chunks cut it; blank lines are skipped")
  func values() {
    let text =
      "\u{FEFF}{\"id\":1}\r\n\n  \t\r\n{\"id\":2,\"name\":\"a\u{2028}\u{85}é\"}\n {\"id\":3} \n\n{\"id\":4}"
    for chunks in Data(text.utf8).cuts(seed: 1) {
      for demand in [Subscribers.Demand.unlimited, .max(1)] {
        let outcome = chunks.body.decodeLines(of: Row.self).outcome(demand: demand)
        #expect(
          outcome.values
            == [Row(id: 1), Row(id: 2, name: "a\u{2028}\u{85}é"), Row(id: 3), Row(id: 4)])
        #expect(outcome.hasFinished)
      }
    }
  }

  @Test("A custom decoder decodes the lines")
  func decoder() {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    struct Item: Decodable, Sendable {
      let itemID: Int

      enum CodingKeys: String, CodingKey { case itemID = "itemId" }
    }
    let outcome = [Data("{\"item_id\":7}\n".utf8)].body
      .decodeLines(of: Item.self, decoder: decoder).outcome()
    #expect(outcome.values.map(\.itemID) == [7])
  }

  @Test("A line of another shape fails with its number, place and text, after the values before it")
  func decoding() throws {
    let outcome = decoded("{\"id\":1}\n\n{\"id\":\"secret\"}\n{\"id\":3}\n")
    #expect(outcome.values == [Row(id: 1)])
    let error = try #require(outcome.failure as? RESTError)
    #expect(error.kind == .decoding)
    #expect(error.body == Data("{\"id\":\"secret\"}".utf8))
    #expect(
      "\(error)"
        == "line 3 of the body does not decode as DecodeLinesTests.Row: \"id\" is a string and must be of type Int. Change the property's type, or correct the server's response."
    )
    let line = try #require(error.underlyingError as? LineError)
    #expect(line.kind == .undecodable)
    #expect(line.line == 3)
    #expect(line.underlyingError is DecodingError)
  }

  @Test("A line that is not JSON fails with its number and the byte")
  func malformed() throws {
    let outcome = decoded("{\"id\":1}\n{\"id\":x}\n")
    let error = try #require(outcome.failure as? RESTError)
    #expect(error.kind == .malformedResponse)
    #expect(
      "\(error)".hasPrefix(
        "line 2 of the body does not decode as DecodeLinesTests.Row: not JSON at its byte 6: expected a value, found a letter."
      ))
    #expect((error.underlyingError as? LineError)?.kind == .malformed)
  }

  @Test("The last line decodes without a line end, but not if the body is cut")
  func last() {
    #expect(decoded("{\"id\":1}").values == [Row(id: 1)])
    let cut = [Data("1\n23".utf8)].body.cut
      .decodeLines(of: Int.self).outcome()
    #expect(cut.values == [1])
    #expect(cut.failure is Cut)
  }

  @Test(
    "With skippingInvalid, undecodable lines are skipped and reported; lines over the limit fail")
  func skipping() throws {
    let told = TellingBox()
    let body = [Data("1\n?\n2\n{}\n3\n".utf8)].body
    let outcome = body.decodeLines(of: Int.self, skippingInvalid: { told.add($0) }).outcome()
    #expect(outcome.values == [1, 2, 3])
    #expect(outcome.hasFinished)
    #expect(told.errors.map(\.kind) == [.malformedResponse, .decoding])
    #expect(told.errors.map { ($0.underlyingError as? LineError)?.line } == [2, 4])
    let long = body.decodeLines(of: Int.self, limit: 1, skippingInvalid: { told.add($0) }).outcome()
    #expect((long.failure as? RESTError)?.underlyingError is LineError)
  }

  @Test("A line is decoded when its value is requested")
  func laziness() {
    let told = TellingBox()
    let source = TestPublisher<Data, any Error>()
    let subscriber = TestSubscriber<Int, any Error>(demand: .max(1))
    source.decodeLines(of: Int.self, skippingInvalid: { told.add($0) }).subscribe(subscriber)
    source.send(Data("1\n?\n2\n".utf8))
    #expect(told.errors.isEmpty)
    subscriber.request(.max(1))
    #expect(told.errors.count == 1)
    #expect(subscriber.values == [1, 2])
    subscriber.cancel()
  }
}

/// The errors that a closure receives.
final class TellingBox: Sendable {
  private let state = Mutex<[RESTError]>([])

  var errors: [RESTError] { state.withLock { $0 } }

  func add(_ error: RESTError) {
    state.withLock { $0.append(error) }
  }
}
