import Synchronization

/// What is on its way to another context, in one word: how many values, whether the end is behind
/// them, whether somebody delivers them, whether it is over.
@usableFromInline package struct HopWord: ~Copyable, Sendable {
  /// What the word said at one moment.
  @frozen @usableFromInline package struct Reading: Sendable {
    @usableFromInline let bits: Int

    @inlinable package init(_ bits: Int) {
      self.bits = bits
    }

    @inlinable package static var delivering: Int { 1 }
    @inlinable package static var end: Int { 2 }
    @inlinable package static var value: Int { 4 }
    @inlinable package static var over: Int { .min }

    @inlinable package var isIdle: Bool { bits == 0 }
    @inlinable package var isOver: Bool { bits < 0 }
    @inlinable package var isDelivering: Bool { bits & Self.delivering != 0 }
    @inlinable package var hasEnd: Bool { bits & Self.end != 0 }
    @inlinable package var values: Int { (bits & .max) / Self.value }
  }

  @usableFromInline let word = Atomic<Int>(0)

  @inlinable package init() {}

  /// Counts a signal: a value or the end.
  ///
  /// - Returns: What there was before; if it was over, nothing is counted.
  @inlinable package borrowing func add(_ signal: Int) -> Reading {
    var before = word.load(ordering: .relaxed)
    while before >= 0 {
      let (added, found) = word.compareExchange(
        expected: before, desired: before + signal, ordering: .acquiringAndReleasing)
      if added { break }
      before = found
    }
    return Reading(before)
  }

  /// Begins to deliver.
  @inlinable package borrowing func begin() -> Reading {
    Reading(word.bitwiseOr(Reading.delivering, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Delivers no more, after so many values.
  ///
  /// - Returns: What is left.
  @inlinable package borrowing func stop(after values: Int) -> Reading {
    let delivered = values * Reading.value + Reading.delivering
    return Reading(word.subtract(delivered, ordering: .acquiringAndReleasing).newValue)
  }

  /// Makes it over.
  ///
  /// - Returns: What there was before.
  @inlinable package borrowing func close() -> Reading {
    Reading(word.bitwiseOr(Reading.over, ordering: .acquiringAndReleasing).oldValue)
  }
}
