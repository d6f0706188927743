extension Publisher {
  /// Sends the time since the previous value, or since the subscription, instead of each value.
  ///
  /// ```marble
  /// source: -a--b-|
  /// measureInterval(using: scheduler).map { $0 == .milliseconds(10) ? "s" : "l" }
  /// result: -s--l-|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread. The scheduler only tells the time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter scheduler: The scheduler that measures the time.
  @inlinable public func measureInterval(
    using scheduler: any Scheduler
  ) -> Publishers.MeasureInterval<Self> {
    Publishers.MeasureInterval(Deferred { through(Publishers.MeasureIntervalStage(on: scheduler)) })
  }
}

extension Publishers {
  /// A publisher of the times between its upstream's values.
  @frozen public struct MeasureInterval<Upstream: Publisher>: Publisher {
    public typealias Output = Duration
    public typealias Failure = Upstream.Failure

    @usableFromInline let base:
      Deferred<Staged<Upstream, MeasureIntervalStage<Upstream.Output, Upstream.Failure>>>

    @inlinable init(
      _ base: Deferred<Staged<Upstream, MeasureIntervalStage<Upstream.Output, Upstream.Failure>>>
    ) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that measures the time since the previous value, or since the start.
  @frozen public struct MeasureIntervalStage<Input: Sendable, Failure: Error>: Stage {
    @usableFromInline var last: Duration
    @usableFromInline let scheduler: any Scheduler

    @inlinable init(on scheduler: any Scheduler) {
      last = scheduler.now
      self.scheduler = scheduler
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Duration> {
      let now = scheduler.now
      defer { last = now }
      return .pass(now.since(last))
    }
  }
}
