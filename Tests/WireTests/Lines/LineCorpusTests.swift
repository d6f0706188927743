import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The lines of 220 bodies, in any chunks", .leakFree)
struct LineCorpusTests {
  struct Body: Decodable, Sendable {
    let hex: String
    let lines: [String]
  }

  @Test("The corpus has enough bodies")
  func size() {
    #expect(Corpus.entries("Lines/bodies", of: Body.self).count >= 200)
  }

  @Test(
    "Each cut of a body gives the same lines",
    arguments: Corpus.entries("Lines/bodies", of: Body.self))
  func lines(body: Corpus.Entry<Body>) {
    let data = Data(hex: body.content.hex)
    for chunks in data.cuts(seed: UInt64(body.location.line)) {
      for demand in [Subscribers.Demand.unlimited, .max(1)] {
        let outcome = chunks.body.lines().outcome(demand: demand)
        // Characters that are equal may be other scalars.
        #expect(
          outcome.values.map { Array($0.unicodeScalars) }
            == body.content.lines.map { Array($0.unicodeScalars) },
          "cut to \(chunks.map(\.count))", sourceLocation: body.location)
        #expect(outcome.hasFinished, sourceLocation: body.location)
      }
    }
  }

  @Test(
    "With invalidUTF8: .fail, the lines before the fault are delivered",
    arguments: Corpus.entries("Lines/bodies", of: Body.self))
  func validation(body: Corpus.Entry<Body>) throws {
    let data = Data(hex: body.content.hex)
    let isValid = String(validating: data, as: UTF8.self) != nil
    for chunks in data.cuts(seed: 1, random: 2) {
      let outcome = chunks.body.lines(invalidUTF8: .fail).outcome()
      #expect(outcome.hasFinished == isValid, sourceLocation: body.location)
      #expect(
        outcome.values == Array(body.content.lines.prefix(outcome.values.count)),
        sourceLocation: body.location)
      guard !isValid else { continue }
      let error = try #require((outcome.failure as? RESTError)?.underlyingError as? LineError)
      #expect(error.line == outcome.values.count + 1, sourceLocation: body.location)
      guard case .invalidUTF8 = error.kind else {
        Issue.record("\(error)", sourceLocation: body.location)
        continue
      }
    }
  }
}
