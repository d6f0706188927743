extension Publisher {
  /// Sends at most one value in an interval.
  ///
  /// The first value passes at once. Of the values that arrive in the interval after it, the latest
  /// or the first passes when the interval is over. When the stream finishes, the waiting value is
  /// delivered.
  ///
  /// ```marble
  /// source: -a-b-c------d-|
  /// throttle(for: .milliseconds(50), scheduler: scheduler, latest: true)
  /// result: -a----c-----d-|
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. One value waits for demand.
  /// - Errors: The upstream's failure, at once, without the waiting value.
  /// - Completion: When the upstream finishes, after the waiting value, which does not wait for the
  ///   end of its interval.
  /// - Cancellation: Cancels the upstream and the timer at once.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each value; at most one timer for each value that passes.
  ///
  /// - Parameters:
  ///   - interval: The shortest time between two values.
  ///   - scheduler: The scheduler that measures the time and delivers.
  ///   - latest: Whether the latest of the waiting values passes. If false, the first one passes.
  @inlinable public func throttle(
    for interval: Duration, scheduler: any Scheduler, latest: Bool
  ) -> Publishers.Throttle<Self> {
    Publishers.Throttle(
      Publishers.Timed(
        self, Publishers.ThrottleStage(interval, latest: latest), scheduler: scheduler))
  }
}

extension Publishers {
  /// A publisher of at most one value in an interval.
  @frozen public struct Throttle<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Timed<Upstream, ThrottleStage<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Timed<Upstream, ThrottleStage<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that passes a value on and holds one of the following values until the interval is
  /// over.
  @frozen public struct ThrottleStage<Input: Sendable, Failure: Error>: TimedStage {
    @usableFromInline let interval: Duration
    @usableFromInline let latest: Bool
    @usableFromInline var candidate: Input?
    @usableFromInline var reopening: Duration?

    @inlinable init(_ interval: Duration, latest: Bool) {
      self.interval = max(interval, .zero)
      self.latest = latest
    }

    @inlinable public mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<Input, Failure>
    ) {
      switch event {
      case .delivery, .demand: break
      case .begin: outlet.request = .unlimited
      case .value(let input): take(input, &outlet)
      case .wake:
        if let value = candidate.take() { pass(value, &outlet) }
      case .end(let completion):
        if case .finished = completion, let value = candidate.take() { pass(value, &outlet) }
        outlet.end = .failingFast(completion)
      }
    }

    @inlinable mutating func take(_ input: Input, _ outlet: inout Outlet<Input, Failure>) {
      guard let reopening, outlet.now < reopening else {
        // A late timer leaves a value behind, which competes with the new one.
        let left = candidate.take()
        if latest { outlet.drop(left) }
        pass(latest ? input : left ?? input, &outlet)
        return
      }
      guard latest || candidate == nil else { return }
      outlet.drop(candidate.take())
      candidate = input
      outlet.deadline = reopening
    }

    @inlinable mutating func pass(_ value: Input, _ outlet: inout Outlet<Input, Failure>) {
      reopening = outlet.now.adding(interval)
      if outlet.waiting == 0 {
        outlet.send(value)
      } else if latest {
        outlet.replaceOldest(value)
      } else {
        outlet.drop(value)
      }
    }
  }
}
