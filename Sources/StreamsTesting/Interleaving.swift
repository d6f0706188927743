/// An order in which lanes of steps take turns on one thread.
///
/// A lane is what one party does, step after step: the values and the end of a publisher, the
/// requests and the cancel of a subscriber. Each lane keeps its own order; an interleaving says whose
/// turn it is. So what threads do by chance, a test does in all orders there are, or in as many as
/// it draws:
///
/// ```swift
/// try Interleaving.explore(Interleaving.every(2, 1)) { interleaving in
///   let subject = PassthroughSubject<Int, Never>()
///   let subscriber = TestSubscriber<Int, Never>()
///   subject.subscribe(subscriber)
///   interleaving.run(
///     [{ subject.send(1) }, { subject.send(2) }],
///     [{ subscriber.cancel() }])
///   try #require(subscriber.completions.isEmpty)
/// }
/// ```
public struct Interleaving: Sendable, Hashable, CustomStringConvertible {
  /// The lane whose turn it is, for each step.
  public let turns: [Int]

  /// - Parameter turns: The lane whose turn it is, for each step.
  public init(turns: [Int]) {
    self.turns = turns
  }

  /// An order that is drawn: each with the same chance.
  ///
  /// - Parameters:
  ///   - lengths: How many steps each lane has.
  ///   - seed: The same seed gives the same order.
  public init(of lengths: Int..., seed: UInt64) {
    self.init(of: lengths, seed: seed)
  }

  init(of lengths: [Int], seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    turns = lengths.enumerated().flatMap { lane, length in
      Array(repeating: lane, count: length)
    }.shuffled(using: &generator)
  }

  public var description: String {
    "turns " + turns.map { "\($0)" }.joined(separator: " ")
  }

  /// The elements of all lanes, in this order.
  ///
  /// What a lane has beyond its turns comes at the end; a turn for which it has nothing is skipped.
  public func merged<Element>(_ lanes: [Element]...) -> [Element] {
    merged(lanes)
  }

  func merged<Element>(_ lanes: [[Element]]) -> [Element] {
    var left = lanes.map { ArraySlice($0) }
    let taken = turns.compactMap { $0 < left.count ? left[$0].popFirst() : nil }
    return taken + left.joined()
  }

  /// Takes the steps of all lanes, in the order of ``merged(_:)``.
  public func run(_ lanes: [() -> Void]...) {
    for step in merged(lanes) { step() }
  }

  /// All orders in which lanes of so many steps can take turns.
  ///
  /// Of lanes of `m` and `n` steps there are (m + n)! / (m! n!): 70 of two times four, 34,650 of
  /// three times four.
  public static func every(_ lengths: Int...) -> some Sequence<Interleaving> {
    EveryInterleaving(left: lengths)
  }

  /// An order for each seed.
  public static func drawn(
    _ lengths: Int..., seeds: Range<UInt64>
  ) -> some Sequence<Interleaving> {
    seeds.lazy.map { Interleaving(of: lengths, seed: $0) }
  }

  /// Runs the body for each order, until it throws.
  ///
  /// - Throws: An ``InterleavingFailure`` that names the order.
  public static func explore(
    _ interleavings: some Sequence<Interleaving>, _ body: (Interleaving) throws -> Void
  ) throws {
    for interleaving in interleavings {
      do {
        try body(interleaving)
      } catch {
        throw InterleavingFailure(order: "\(interleaving)", underlying: error)
      }
    }
  }
}

/// Goes through the orders as an odometer does: each is the least one that is greater than the last.
private struct EveryInterleaving: Sequence, IteratorProtocol {
  private var upcoming: [Int]?

  init(left lengths: [Int]) {
    upcoming = lengths.enumerated().flatMap { Array(repeating: $0, count: $1) }
  }

  mutating func next() -> Interleaving? {
    guard let turns = upcoming else { return nil }
    upcoming = Self.successor(of: turns)
    return Interleaving(turns: turns)
  }

  private static func successor(of turns: [Int]) -> [Int]? {
    guard let pivot = turns.indices.dropLast().last(where: { turns[$0] < turns[$0 + 1] }) else {
      return nil
    }
    var turns = turns
    let swap = turns.indices.last { turns[$0] > turns[pivot] } ?? pivot
    turns.swapAt(pivot, swap)
    turns[(pivot + 1)...].reverse()
    return turns
  }
}
