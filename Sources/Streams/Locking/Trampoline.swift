import Synchronization

/// A loop that runs steps one after another.
///
/// A step may request another step from inside, and another thread may request one meanwhile. The
/// running loop then repeats instead of calling deeper.
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
