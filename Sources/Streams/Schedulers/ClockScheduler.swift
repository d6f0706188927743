/// A scheduler that runs work in tasks and measures time with a clock.
///
/// Work runs on the global executor, several pieces at a time and in any order. Operators that
/// deliver on a scheduler keep the order of values nevertheless. Nothing is left of delayed work
/// that is cancelled.
public struct ClockScheduler<C: Clock>: Scheduler where C.Duration == Duration {
  public let clock: C
  private let start: C.Instant
  private let timers: TimerQueue<C>

  /// - Parameter clock: The clock that measures the time and delays work.
  public init(_ clock: C) {
    self.init(clock, timers: TimerQueue(clock, keepsSleeps: false))
  }

  fileprivate init(_ clock: C, timers: TimerQueue<C>) {
    self.clock = clock
    self.timers = timers
    start = clock.now
  }

  /// The time on the clock since this scheduler was created.
  public var now: Duration { start.duration(to: clock.now) }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    Task { action() }
  }

  @discardableResult
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let action = ScheduledAction(action)
    let end = timers.now + delay.asWait
    let task = Task { [timers] in
      try await timers.wait(until: end)
      action.run()
    }
    return TaskWork(task: task, action: action)
  }
}

extension Scheduler where Self == ClockScheduler<ContinuousClock> {
  /// A scheduler that runs work in tasks, with a clock that continues while the machine sleeps.
  public static var continuous: ClockScheduler<ContinuousClock> {
    ClockScheduler(ContinuousClock(), timers: SystemTimers.continuous)
  }
}

extension Scheduler where Self == ClockScheduler<SuspendingClock> {
  /// A scheduler that runs work in tasks, with a clock that stops while the machine sleeps.
  public static var suspending: ClockScheduler<SuspendingClock> {
    ClockScheduler(SuspendingClock(), timers: SystemTimers.suspending)
  }
}
