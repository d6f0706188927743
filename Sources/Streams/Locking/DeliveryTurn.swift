import Synchronization

/// The right to deliver, which one thread has at a time.
///
/// A thread with something to deliver takes the turn, or leaves a call for the thread that has it.
/// What a call is about lies under a lock, and is put there before the call. The thread that has
/// the turn cannot give it back while a call is unanswered. It answers the call, looks under the
/// lock and delivers what it finds. Nothing that a thread has left is therefore forgotten.
@usableFromInline struct DeliveryTurn: ~Copyable, Sendable {
  /// The turn is free, is taken, or is taken and called for.
  @usableFromInline enum Word: UInt8, AtomicRepresentable, Sendable {
    case free, taken, called
  }

  @usableFromInline let word = Atomic<Word>(.free)

  @inlinable init() {}

  /// Takes the turn if it is free.
  ///
  /// No lock is needed. Who does not get the turn writes down what is to be delivered, and calls.
  @inlinable borrowing func take() -> Bool {
    word.compareExchange(expected: .free, desired: .taken, ordering: .acquiring).exchanged
  }

  /// Leaves a call, and returns whether the turn was free and is the caller's now.
  @inlinable borrowing func call() -> Bool {
    word.exchange(.called, ordering: .acquiringAndReleasing) == .free
  }

  /// Takes the turn, or leaves a call for the thread that has it.
  ///
  /// Call this method under the lock that every other taker holds, too. A free turn then costs no
  /// atomic exchange, because it stays free.
  @inlinable borrowing func takeOrCall() -> Bool {
    if word.load(ordering: .acquiring) != .free {
      let (_, before) = word.compareExchange(
        expected: .taken, desired: .called, ordering: .acquiringAndReleasing)
      if before != .free { return false }
    }
    word.store(.taken, ordering: .relaxed)
    return true
  }

  /// Answers all calls so far.
  ///
  /// The thread that has the turn calls this method before it looks for what was left.
  @inlinable borrowing func answer() {
    word.store(.taken, ordering: .relaxed)
  }

  /// Gives the turn back, unless a call is unanswered.
  @inlinable borrowing func giveBack() -> Bool {
    word.compareExchange(expected: .taken, desired: .free, ordering: .acquiringAndReleasing)
      .exchanged
  }

  /// Gives the turn back, even after a call.
  ///
  /// Call this method under the lock, after a look at what was left.
  @inlinable borrowing func end() {
    word.store(.free, ordering: .releasing)
  }
}
