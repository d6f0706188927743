extension Publishers {
  /// A publisher of the time, again and again, on a scheduler.
  ///
  /// It is `Publishers.Timer`, and no `Timer.publish(every:on:)`, because a type `Timer` of this
  /// module would make that name ambiguous wherever Foundation is imported, too. It is cold: each
  /// subscriber has ticks of its own, a whole number of intervals after its subscription, and there
  /// is nothing to connect.
  ///
  /// Without demand no timer runs. Ticks that fall into that time, or that a busy scheduler misses,
  /// are left out; those that follow come at their usual times.
  ///
  /// ```marble
  /// Publishers.Timer(every: .milliseconds(30), on: scheduler).map { _ in "t" }.prefix(3)
  /// result: ---t--t--(t|)
  /// ```
  ///
  /// - Demand: One tick for each value asked for.
  /// - Errors: None.
  /// - Completion: Never.
  /// - Cancellation: Cancels the one timer at once.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each tick.
  @frozen public struct Timer: Publisher {
    public typealias Output = Duration
    public typealias Failure = Never

    public let interval: Duration
    public let scheduler: any Scheduler

    /// - Parameters:
    ///   - interval: The time between two ticks; a nanosecond if it is not positive.
    ///   - scheduler: What measures the time and delivers the ticks; each is its `now`.
    @inlinable public init(every interval: Duration, on scheduler: any Scheduler) {
      self.interval = interval
      self.scheduler = scheduler
    }

    @inlinable public func receive(subscriber: some Subscriber<Duration, Never>) {
      let stage = TimerStage(interval: interval, start: scheduler.now)
      Outbox(stage, downstream: subscriber, scheduler: scheduler).start()
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
