import Synchronization

/// The right to deliver, which one thread has at a time.
///
/// A thread takes the turn under the lock of the state that says what to deliver. Giving it back
/// needs no lock, because a thread that came meanwhile has left a call.
@usableFromInline struct DeliveryTurn: ~Copyable, Sendable {
  @usableFromInline enum Word: UInt8, AtomicRepresentable, Sendable {
    case free, taken, called
  }

  @usableFromInline let word = Atomic<Word>(.free)

  @inlinable init() {}

  /// Takes the turn, or leaves a call for the thread that has it.
  ///
  /// Call this method under the lock.
  @inlinable borrowing func take() -> Bool {
    if word.load(ordering: .acquiring) != .free {
      let (_, before) = word.compareExchange(
        expected: .taken, desired: .called, ordering: .acquiringAndReleasing)
      if before != .free { return false }
    }
    word.store(.taken, ordering: .relaxed)
    return true
  }

  /// Gives the turn back, unless another thread has called.
  @inlinable borrowing func giveBack() -> Bool {
    word.compareExchange(expected: .taken, desired: .free, ordering: .acquiringAndReleasing)
      .exchanged
  }

  /// Gives the turn back, even after a call.
  ///
  /// Call this method under the lock.
  @inlinable borrowing func end() {
    word.store(.free, ordering: .releasing)
  }
}
