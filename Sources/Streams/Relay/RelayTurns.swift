import Synchronization

/// The turns at a relay, one source after another, each first awaited and then open.
///
/// A change needs the relay's lock. The delivering thread reads without the lock.
@usableFromInline struct RelayTurns: ~Copyable, Sendable {
  // Of each four numbers, the first means that no source has the turn, the second that a source's
  // subscription is awaited, and the third that the source is open. The second number is the name
  // of the turn.
  @usableFromInline let number = Atomic<Int>(0)

  @inlinable init() {}

  /// Begins the next turn, after the previous one has ended.
  @inlinable func begin() -> Int {
    number.add(1, ordering: .relaxed).newValue
  }

  /// Records a source's subscription, and returns false if it was not awaited.
  @inlinable func open(_ turn: Int) -> Bool {
    guard number.load(ordering: .relaxed) == turn else { return false }
    number.store(turn + 1, ordering: .relaxed)
    return true
  }

  /// Ends a turn, and returns false if it was another one's.
  @inlinable func end(_ turn: Int) -> Bool {
    guard isInCharge(turn) else { return false }
    number.store(turn + 3, ordering: .relaxed)
    return true
  }

  /// Ends the current turn.
  @inlinable func endCurrent() {
    let now = number.load(ordering: .relaxed)
    number.store((now + 3) & ~3, ordering: .relaxed)
  }

  /// Returns whether values of a source may pass.
  @inlinable func isOpen(_ turn: Int) -> Bool {
    number.load(ordering: .relaxed) == turn + 1
  }

  /// Returns whether a source is awaited or open.
  @inlinable func isInCharge(_ turn: Int) -> Bool {
    let now = number.load(ordering: .relaxed)
    return now == turn || now == turn + 1
  }

  /// Returns the rule that a value breaks if its source is not open.
  @usableFromInline func slip(ofValueIn turn: Int) -> ContractViolation.Rule {
    number.load(ordering: .relaxed) == turn ? .valueBeforeSubscription : .valueAfterEnd
  }
}
