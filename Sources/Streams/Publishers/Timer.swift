extension Publishers {
  /// A publisher of the time at regular intervals, on a scheduler.
  ///
  /// It is `Publishers.Timer` and not `Timer.publish(every:on:)`, because a type `Timer` of this
  /// module would be ambiguous in files that import Foundation. It is cold: each subscriber has its
  /// own ticks, a whole number of intervals after its subscription, and there is nothing to
  /// connect.
  ///
  /// Without demand, no timer runs. Ticks during that time, and ticks that a busy scheduler misses,
  /// are left out. Later ticks come at their usual times.
  ///
  /// ```marble
  /// Publishers.Timer(every: .milliseconds(30), on: scheduler).map { _ in "t" }.prefix(3)
  /// result: ---t--t--(t|)
  /// ```
  ///
  /// - Demand: One tick for each requested value.
  /// - Errors: None.
  /// - Completion: Never.
  /// - Cancellation: Cancels the timer at once.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each tick.
  @frozen public struct Timer: Publisher {
    public typealias Output = Duration
    public typealias Failure = Never

    public let interval: Duration
    public let scheduler: any Scheduler

    /// - Parameters:
    ///   - interval: The time between two ticks. A time that is not positive counts as one
    ///     nanosecond.
    ///   - scheduler: The scheduler that measures the time and delivers the ticks. Each tick is its
    ///     `now`.
    @inlinable public init(every interval: Duration, on scheduler: any Scheduler) {
      self.interval = interval
      self.scheduler = scheduler
    }

    @inlinable public func receive(subscriber: some Subscriber<Duration, Never>) {
      let stage = TimerStage(interval: interval, start: scheduler.now)
      TimedDriver(stage, downstream: subscriber, scheduler: scheduler).start()
    }
  }
}
@frozen @usableFromInline struct TimerStage: Publishers.TimedStage {
  @usableFromInline let interval: Duration
  @usableFromInline let start: Duration

  @inlinable init(interval: Duration, start: Duration) {
    self.interval = max(interval, .shortestInterval)
    self.start = start
  }

  @inlinable mutating func receive(
    _ event: Publishers.TimedEvent<Never, Never>, outlet: inout Publishers.Outlet<Duration, Never>
  ) {
    switch event {
    case .begin, .delivery, .end: return
    case .demand: if outlet.deadline != nil { return }
    case .wake: outlet.send(outlet.now)
    }
    if outlet.unserved > .none { outlet.deadline = outlet.now.next(every: interval, from: start) }
  }
}
