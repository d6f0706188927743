/// Cancels what it holds when it is told to, or when nobody holds it any more.
///
/// Keep it for as long as the values matter: dropping it at once cancels at once. What it holds is
/// cancelled once, however many threads ask, and released then.
public final class AnyCancellable: Cancellable, Hashable {
  @usableFromInline let held: Lock<(@Sendable () -> Void)?>

  /// Runs a closure, once, on the thread that cancels.
  @inlinable
  public init(_ cancel: @escaping @Sendable () -> Void) {
    held = Lock(cancel)
  }

  /// Cancels another cancellable.
  @inlinable
  public convenience init<Base: Cancellable>(_ base: Base) {
    self.init { base.cancel() }
  }

  deinit {
    cancel()
  }

  @inlinable
  public func cancel() {
    let action = held.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }

  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
