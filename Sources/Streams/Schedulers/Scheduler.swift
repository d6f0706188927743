/// Runs work, now or later: on a queue, on an actor, at once, or when a test says so.
public protocol Scheduler: Sendable {
  /// The time that has passed since a moment of the scheduler's own choice. It never goes back; only
  /// differences mean anything.
  var now: Duration { get }

  /// Runs work as soon as possible.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Runs work once a time has passed.
  ///
  /// - Parameters:
  ///   - delay: How long to wait; a delay that is not positive is none.
  ///   - action: The work.
  /// - Returns: What takes the work back if it has not begun. Dropping it does not.
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}
