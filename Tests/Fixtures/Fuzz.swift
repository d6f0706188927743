import Foundation
import StreamsTesting
import Testing

/// Cases that a seed draws: the same for the same seed, on every machine.
///
/// `FUZZ_SEED=7 FUZZ_CASES=100000 swift test --filter Fuzz` runs others, and more of them; what a
/// failure prints runs its case alone.
package enum Fuzz {
  /// One drawn case.
  package struct Case: CustomStringConvertible {
    package let seed: UInt64
    package let number: Int

    package var description: String { "again with FUZZ_SEED=\(seed) FUZZ_CASE=\(number)" }

    /// Records a failure of this case.
    package func fail(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
      Issue.record("\(text); \(self)", sourceLocation: sourceLocation)
    }
  }

  /// The seeds of a run: those of `FUZZ_SEED`, or two.
  package static let seeds: [UInt64] = variable("FUZZ_SEED").map { [UInt64($0)] } ?? [1, 2]

  /// Runs so many cases, each with a generator of its own.
  package static func run(
    _ seed: UInt64, cases: Int, _ body: (inout SeededGenerator, Case) throws -> Void
  ) rethrows {
    for number in numbers(cases) {
      var generator = generator(seed, number)
      try body(&generator, Case(seed: seed, number: number))
    }
  }

  /// As the other, for cases that wait.
  package static func run(
    _ seed: UInt64, cases: Int, _ body: (inout SeededGenerator, Case) async throws -> Void
  ) async rethrows {
    for number in numbers(cases) {
      var generator = generator(seed, number)
      try await body(&generator, Case(seed: seed, number: number))
    }
  }

  private static func numbers(_ count: Int) -> Range<Int> {
    if let only = variable("FUZZ_CASE") { return only..<(only + 1) }
    return 0..<(variable("FUZZ_CASES") ?? count)
  }

  private static func generator(_ seed: UInt64, _ number: Int) -> SeededGenerator {
    SeededGenerator(seed: seed << 32 | UInt64(number))
  }

  private static func variable(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
}

extension RandomNumberGenerator {
  /// A number of a range.
  package mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// One of some things.
  package mutating func one<Element>(of choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }

  /// Some of the pieces, in a row.
  package mutating func text(of pieces: [String], _ count: ClosedRange<Int>) -> String {
    (0..<number(count)).map { _ in one(of: pieces) }.joined()
  }

  /// The bytes, cut at random places.
  package mutating func cut(_ bytes: [UInt8], pieces: Int) -> [ArraySlice<UInt8>] {
    let places = (0..<pieces).map { _ in number(0...bytes.count) }.sorted()
    return zip([0] + places, places + [bytes.count]).map { bytes[$0..<$1] }
  }

  /// The bytes with a few of them changed, removed, doubled or replaced by a piece.
  package mutating func mutated(_ original: [UInt8], pieces: [String], _ count: ClosedRange<Int>)
    -> [UInt8]
  {
    var bytes = original
    for _ in 0..<number(count) {
      let place = number(0...bytes.count)
      let end = Swift.min(bytes.count, place + number(0...6))
      switch number(0...5) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
      case 2 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      default: bytes.replaceSubrange(place..<end, with: one(of: pieces).utf8)
      }
    }
    return bytes
  }
}
