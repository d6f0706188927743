extension Publisher {
  /// Sends a value after an interval without another one.
  ///
  /// When the stream finishes, the waiting value is delivered. Combine drops it. A value whose
  /// interval is over waits for demand, unless a later one replaces it.
  ///
  /// ```marble
  /// source: -a-b----c---|
  /// debounce(for: .milliseconds(30), scheduler: scheduler)
  /// result: ------b----c|
  /// ```
  ///
  /// The upstream gets unlimited demand. Only the latest value waits for demand:
  ///
  /// ```marble
  /// source:        -a----b-----|
  /// source demand: *
  /// debounce(for: .milliseconds(30), scheduler: scheduler)
  /// demand:        ----------1
  /// result:        ----------b-|
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The latest value waits for demand.
  /// - Errors: The upstream's failure, at once, also during an interval, without the waiting value.
  /// - Completion: When the upstream finishes, after the waiting value, which does not wait for the
  ///   end of its interval.
  /// - Cancellation: Cancels the upstream and the timer at once.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each value, which moves the deadline of one timer.
  ///
  /// - Parameters:
  ///   - dueTime: The length of the interval without another value.
  ///   - scheduler: The scheduler that measures the time and delivers.
  @inlinable public func debounce(
    for dueTime: Duration, scheduler: any Scheduler
  ) -> Publishers.Debounce<Self> {
    Publishers.Debounce(
      Publishers.Timed(self, Publishers.DebounceStage(dueTime), scheduler: scheduler))
  }
}

extension Publishers {
  /// A publisher of the values that are followed by an interval without another one.
  @frozen public struct Debounce<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Timed<Upstream, DebounceStage<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Timed<Upstream, DebounceStage<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that holds the latest value until its interval is over.
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
