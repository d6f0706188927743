import Synchronization

/// The state of the signals on their way to another context, in one word.
///
/// The word holds the number of values, whether the end follows them, whether a job delivers, and
/// whether the stream is over.
@usableFromInline struct HopWord: ~Copyable, Sendable {
  /// The content of the word at one moment.
  @frozen @usableFromInline struct Reading: Sendable {
    @usableFromInline let bits: Int

    @inlinable init(_ bits: Int) {
      self.bits = bits
    }

    @inlinable static var delivering: Int { 1 }
    @inlinable static var end: Int { 2 }
    @inlinable static var value: Int { 4 }
    @inlinable static var over: Int { .min }

    @inlinable var isIdle: Bool { bits == 0 }
    @inlinable var isOver: Bool { bits < 0 }
    @inlinable var isDelivering: Bool { bits & Self.delivering != 0 }
    @inlinable var hasEnd: Bool { bits & Self.end != 0 }
    @inlinable var values: Int { (bits & .max) / Self.value }
  }

  @usableFromInline let word = Atomic<Int>(0)

  @inlinable init() {}

  /// Counts a signal: a value or the end.
  ///
  /// - Returns: The content before. If the stream was over, nothing is counted.
  @inlinable borrowing func add(_ signal: Int) -> Reading {
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
  @inlinable borrowing func begin() -> Reading {
    Reading(word.bitwiseOr(Reading.delivering, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Stops delivering, after a number of values.
  ///
  /// - Returns: The content that is left.
  @inlinable borrowing func stop(after values: Int) -> Reading {
    let delivered = values * Reading.value + Reading.delivering
    return Reading(word.subtract(delivered, ordering: .acquiringAndReleasing).newValue)
  }

  /// Marks the stream as over.
  ///
  /// - Returns: The content before.
  @inlinable borrowing func close() -> Reading {
    Reading(word.bitwiseOr(Reading.over, ordering: .acquiringAndReleasing).oldValue)
  }
}
