import Synchronization

/// The right to deliver, which one thread has at a time.
///
/// It is taken under the lock of the state that says what there is to deliver. Giving it back needs
/// no lock: who came meanwhile has left a call.
@usableFromInline struct DeliveryTurn: ~Copyable, Sendable {
  @usableFromInline enum Word: UInt8, AtomicRepresentable, Sendable {
    case free, taken, called
  }

  @usableFromInline let word = Atomic<Word>(.free)

  @inlinable init() {}

  /// Takes the turn, or leaves a call for who has it; under the lock.
  @inlinable borrowing func take() -> Bool {
    if word.load(ordering: .acquiring) != .free {
      let (_, before) = word.compareExchange(
        expected: .taken, desired: .called, ordering: .acquiringAndReleasing)
      if before != .free { return false }
    }
    word.store(.taken, ordering: .relaxed)
    return true
  }

  /// Gives the turn back unless somebody has called.
  @inlinable borrowing func giveBack() -> Bool {
    word.compareExchange(expected: .taken, desired: .free, ordering: .acquiringAndReleasing)
      .exchanged
  }

  /// Gives the turn back, calls or not; under the lock.
  @inlinable borrowing func end() {
    word.store(.free, ordering: .releasing)
  }
}
