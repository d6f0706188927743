import Synchronization

/// Runs steps one after another: a step that asks for another from inside, or from another thread
/// meanwhile, makes the running loop go round once more instead of calling deeper.
@usableFromInline struct Trampoline: ~Copyable, Sendable {
  @usableFromInline let steps = Atomic<Int>(0)

  @inlinable init() {}

  @inlinable borrowing func run(_ step: () -> Void) {
    guard steps.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat {
      step()
    } while steps.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }
}
