/// A type that runs work now or later: on a queue, on an actor, at once, or in a test's virtual
/// time.
public protocol Scheduler: Sendable {
  /// The time since a moment that the scheduler chooses.
  ///
  /// It never goes back. Only differences are meaningful.
  var now: Duration { get }

  /// Runs work as soon as possible.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Runs work after a delay.
  ///
  /// It takes a wait, not a point in time as Combine does: `schedule(after: .seconds(1))` runs the
  /// work in a second, and `schedule(after: now + .seconds(1))` much later.
  ///
  /// - Parameters:
  ///   - delay: The length of the delay. A length that is not positive means no delay.
  ///   - action: The work.
  /// - Returns: A cancellable that cancels the work if it has not begun. Releasing it does not
  ///   cancel the work.
  @discardableResult
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}
