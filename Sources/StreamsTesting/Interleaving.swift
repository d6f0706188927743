/// An order in which lanes of steps take turns on one thread.
///
/// A lane holds the steps of one party, such as the values and the end of a publisher, or the
/// requests and the cancel of a subscriber. Each lane keeps its own order, and an interleaving says
/// which lane has the next turn. A test thus runs steps in all orders that threads could produce by
/// chance, or in a number of random orders:
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
  /// The lane that has each turn.
  public let turns: [Int]

  /// - Parameter turns: The lane that has each turn.
  public init(turns: [Int]) {
    self.turns = turns
  }

  /// Creates a random order.
  ///
  /// Each order has the same probability.
  ///
  /// - Parameters:
  ///   - lengths: The number of steps of each lane.
  ///   - seed: The seed. The same seed gives the same order.
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

  /// Returns the elements of all lanes, in this order.
  ///
  /// Elements of a lane beyond its turns come at the end. A turn without an element is skipped.
  public func merged<Element>(_ lanes: [Element]...) -> [Element] {
    merged(lanes)
  }

  func merged<Element>(_ lanes: [[Element]]) -> [Element] {
    var left = lanes.map { ArraySlice($0) }
    let taken = turns.compactMap { $0 < left.count ? left[$0].popFirst() : nil }
    return taken + left.joined()
  }

  /// Runs the steps of all lanes, in the order of ``merged(_:)``.
  public func run(_ lanes: [() -> Void]...) {
    for step in merged(lanes) { step() }
  }

  /// Returns all orders in which lanes of these lengths can take turns.
  ///
  /// Lanes of `m` and `n` steps have (m + n)! / (m! n!) orders: 70 for two lanes of four steps,
  /// 34,650 for three lanes of four.
  public static func every(_ lengths: Int...) -> some Sequence<Interleaving> {
    EveryInterleaving(left: lengths)
  }

  /// Returns one order for each seed.
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

/// A sequence of all orders, like the numbers of an odometer.
///
/// Each order is the smallest one that is greater than the previous one.
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

/// The error of a test that ran in many orders, with the order that failed.
///
/// Run that order again to reproduce the failure.
public struct InterleavingFailure: Error, CustomStringConvertible {
  /// The order: `seed 42`, or the turns of an ``Interleaving``.
  public let order: String
  /// The error from the body.
  public let underlying: any Error

  public var description: String { "\(order): \(underlying)" }
}
