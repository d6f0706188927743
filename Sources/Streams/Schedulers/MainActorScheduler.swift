/// A scheduler that runs work on the main actor.
///
/// Work is always queued, also when it is scheduled from the main actor.
public struct MainActorScheduler: Scheduler {
  public init() {}

  public var now: Duration { ContinuousClock.Instant.now.sinceReference }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    Task { @MainActor in action() }
  }

  @discardableResult
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let action = ScheduledAction(action)
    let timers = SystemTimers.continuous
    let end = timers.now + delay.asWait
    let task = Task { @MainActor in
      try await timers.wait(until: end)
      action.run()
    }
    return TaskWork(task: task, action: action)
  }
}

extension Scheduler where Self == MainActorScheduler {
  /// A scheduler that runs work on the main actor.
  public static var mainActor: MainActorScheduler { MainActorScheduler() }
}

extension ContinuousClock.Instant {
  /// The start of this process's measurements, as a constant to measure from.
  private static let reference = ContinuousClock.Instant.now

  var sinceReference: Duration { Self.reference.duration(to: self) }
}
