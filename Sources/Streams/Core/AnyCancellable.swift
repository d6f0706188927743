import Synchronization

/// Cancels what it holds when it is told to, or when nobody holds it any more.
///
/// Keep it for as long as the values matter: dropping it at once cancels at once. What it holds is
/// cancelled once, however many threads ask, and released then.
public final class AnyCancellable: Cancellable, Hashable {
  @usableFromInline let isSpent = Atomic<Bool>(false)

  // Unsafe is right: only the one thread that makes `isSpent` true touches this, or the deinit.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var held: any Cancellable

  /// Runs a closure, once, on the thread that cancels.
  @inlinable public init(_ cancel: @escaping @Sendable () -> Void) {
    held = CancelClosure(perform: cancel)
  }

  /// Cancels another cancellable.
  @inlinable public init<Base: Cancellable>(_ base: Base) {
    held = base
  }

  deinit {
    // Nobody else is left to pick from.
    if !isSpent.load(ordering: .relaxed) { held.cancel() }
  }

  @inlinable public func cancel() {
    guard !isSpent.load(ordering: .relaxed), !isSpent.exchange(true, ordering: .acquiring) else {
      return
    }
    exchange(&held, with: EmptySubscription()).cancel()
  }

  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

@frozen @usableFromInline struct CancelClosure: Cancellable {
  @usableFromInline let perform: @Sendable () -> Void

  @inlinable init(perform: @escaping @Sendable () -> Void) {
    self.perform = perform
  }

  @inlinable func cancel() {
    perform()
  }
}
