import Synchronization

/// A loop in which the first thread works for the others.
///
/// A thread that finds no other thread at work works until nothing is left. Others, and the work
/// itself, leave a count and return at once:
///
/// - One piece of work runs at a time, without a lock held. Work that asks for more work causes
///   another turn of the loop, not a deeper call (contract C-5).
/// - Nothing is lost: whatever a thread has changed before it calls, some work that begins later
///   sees. The work may run on another thread, after the call has returned.
/// - The loop holds nothing. It stops when there is nothing to do, so its owner ends it with a
///   state in which there never is.
///
/// All callers of one trampoline pass the same work.
@usableFromInline package struct Trampoline: ~Copyable, Sendable {
  /// The number of calls that are not served; more than zero while a thread works.
  @usableFromInline let steps = Atomic<Int>(0)

  @inlinable package init() {}

  /// Runs a step once for each call.
  @inlinable package borrowing func run(_ step: () -> Void) {
    guard steps.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat {
      step()
    } while steps.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }

  /// Works on the items of a state, in the order in which the state gives them out, until it gives
  /// none.
  ///
  /// However many calls come during a piece of work, the state is asked once more for all of them.
  ///
  /// - Parameters:
  ///   - state: The state, which the caller has changed.
  ///   - next: A closure that takes the next item out. It runs with the lock held.
  ///   - work: A closure that uses the item. It runs without the lock, and so does the item's
  ///     release.
  @inlinable package borrowing func drain<State: Sendable, Item: Sendable>(
    _ state: borrowing Lock<State>, next: (inout State) -> Item?, work: (Item) -> Void
  ) {
    guard steps.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    var seen = 1
    repeat {
      while let item = state.withLock({ next(&$0) }) { work(item) }
      seen = steps.subtract(seen, ordering: .acquiringAndReleasing).newValue
    } while seen > 0
  }
}
