/// Runs work in tasks, and measures time with a clock.
///
/// Work runs on the global executor, several pieces at a time and in any order; operators that
/// deliver on a scheduler keep the order of values all the same.
public struct ClockScheduler<C: Clock>: Scheduler where C.Duration == Duration {
  public let clock: C
  private let start: C.Instant

  /// - Parameter clock: What measures the time, and how delayed work sleeps.
  public init(_ clock: C) {
    self.clock = clock
    start = clock.now
  }

  /// The time on the clock since this scheduler was made.
  public var now: Duration { start.duration(to: clock.now) }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    Task { action() }
  }

  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let action = ScheduledAction(action)
    let deadline = clock.now.advanced(by: delay.asWait)
    let task = Task { [clock] in
      try await clock.sleep(until: deadline, tolerance: nil)
      action.run()
    }
    return TaskWork(task: task, action: action)
  }
}

extension Scheduler where Self == ClockScheduler<ContinuousClock> {
  /// Runs work in tasks; its clock goes on while the machine sleeps.
  public static var continuous: ClockScheduler<ContinuousClock> {
    ClockScheduler(ContinuousClock())
  }
}

extension Scheduler where Self == ClockScheduler<SuspendingClock> {
  /// Runs work in tasks; its clock stops while the machine sleeps.
  public static var suspending: ClockScheduler<SuspendingClock> {
    ClockScheduler(SuspendingClock())
  }
}
