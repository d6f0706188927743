import Synchronization

/// The state of the signals on their way to another context, in one word.
///
/// The word holds the number of values, whether the end follows them, whether a job delivers, and
/// whether the stream is over.
@usableFromInline package struct HopWord: ~Copyable, Sendable {
  /// The content of the word at one moment.
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
  /// - Returns: The content before. If the stream was over, nothing is counted.
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

  /// Begins a delivery.
  @inlinable package borrowing func begin() -> Reading {
    Reading(word.bitwiseOr(Reading.delivering, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Stops delivering, after a number of values.
  ///
  /// - Returns: The content that is left.
  @inlinable package borrowing func stop(after values: Int) -> Reading {
    let delivered = values * Reading.value + Reading.delivering
    return Reading(word.subtract(delivered, ordering: .acquiringAndReleasing).newValue)
  }

  /// Marks the stream as over.
  ///
  /// - Returns: The content before.
  @inlinable package borrowing func close() -> Reading {
    Reading(word.bitwiseOr(Reading.over, ordering: .acquiringAndReleasing).oldValue)
  }
}
