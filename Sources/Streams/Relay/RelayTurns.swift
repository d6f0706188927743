import Synchronization

/// Whose turn it is at a relay: one source after another, each awaited first and open then.
///
/// Who changes it holds the relay's lock; who delivers reads it without.
@usableFromInline struct RelayTurns: ~Copyable, Sendable {
  // Of four numbers the first says that it is nobody's turn, the second that a source's subscription
  // is awaited, the third that the source is open. The second is the name of the turn.
  @usableFromInline let number = Atomic<Int>(0)

  @inlinable init() {}

  /// Begins the next turn, once the one before has ended.
  @inlinable func begin() -> Int {
    number.add(1, ordering: .relaxed).newValue
  }

  /// Takes note of a source's subscription; false unless it was awaited.
  @inlinable func open(_ turn: Int) -> Bool {
    guard number.load(ordering: .relaxed) == turn else { return false }
    number.store(turn + 1, ordering: .relaxed)
    return true
  }

  /// Ends a turn; false unless it was that one's.
  @inlinable func end(_ turn: Int) -> Bool {
    guard isInCharge(turn) else { return false }
    number.store(turn + 3, ordering: .relaxed)
    return true
  }

  /// Ends whichever turn it is.
  @inlinable func endCurrent() {
    let now = number.load(ordering: .relaxed)
    number.store((now + 3) & ~3, ordering: .relaxed)
  }

  /// Whether values of a source may pass.
  @inlinable func isOpen(_ turn: Int) -> Bool {
    number.load(ordering: .relaxed) == turn + 1
  }

  /// Whether a source is awaited or open.
  @inlinable func isInCharge(_ turn: Int) -> Bool {
    let now = number.load(ordering: .relaxed)
    return now == turn || now == turn + 1
  }

  /// The rule that a value breaks which comes from a source that is not open.
  @usableFromInline func slip(ofValueIn turn: Int) -> ContractViolation.Rule {
    number.load(ordering: .relaxed) == turn ? .valueBeforeSubscription : .valueAfterEnd
  }
}
