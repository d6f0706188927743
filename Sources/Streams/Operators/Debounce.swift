extension Publisher {
  /// Passes on a value once a time has passed without another.
  ///
  /// Where Combine drops the value that still waits when the stream finishes, this delivers it. A
  /// value whose time has passed waits for demand, unless a later one takes its place.
  ///
  /// ```marble
  /// source: -a-b----c---|
  /// debounce(for: .milliseconds(30), scheduler: scheduler)
  /// result: ------b----c|
  /// ```
  ///
  /// The upstream is asked for everything; only the latest value waits for demand:
  ///
  /// ```marble
  /// source:        -a----b-----|
  /// source demand: *
  /// debounce(for: .milliseconds(30), scheduler: scheduler)
  /// demand:        ----------1
  /// result:        ----------b-|
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the latest value waits for demand.
  /// - Errors: The upstream's failure, at once and also in a quiet time, without the value that
  ///   waits.
  /// - Completion: When the upstream finishes, at once, after the value that waits.
  /// - Cancellation: Cancels the upstream and the one timer at once.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each value, which moves the deadline of one timer.
  ///
  /// - Parameters:
  ///   - dueTime: How long it has to be quiet.
  ///   - scheduler: What measures the time and delivers.
  @inlinable public func debounce(
    for dueTime: Duration, scheduler: any Scheduler
  ) -> Publishers.Debounce<Self> {
    Publishers.Timed(self, Publishers.DebounceStage(dueTime), scheduler: scheduler)
  }
}

extension Publishers {
  /// A publisher of the values that are followed by a quiet time.
  public typealias Debounce<Upstream: Publisher> =
    Timed<Upstream, DebounceStage<Upstream.Output, Upstream.Failure>>

  /// Holds the latest value until it is quiet.
  @frozen public struct DebounceStage<Input: Sendable, Failure: Error>: TimedStage {
    @usableFromInline let dueTime: Duration
    @usableFromInline var candidate: Input?

    @inlinable init(_ dueTime: Duration) {
      self.dueTime = max(dueTime, .zero)
    }

    @inlinable public mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<Input, Failure>
    ) {
      switch event {
      case .delivery, .demand: break
      case .begin: outlet.request = .unlimited
      case .value(let input):
        outlet.drop(candidate.take())
        candidate = input
        outlet.deadline = outlet.now.adding(dueTime)
      case .wake: pass(&outlet)
      case .end(let completion):
        if case .finished = completion { pass(&outlet) }
        outlet.end = .failingFast(completion)
      }
    }

    @inlinable mutating func pass(_ outlet: inout Outlet<Input, Failure>) {
      if let value = candidate.take() { outlet.replaceOldest(value) }
    }
  }
}
