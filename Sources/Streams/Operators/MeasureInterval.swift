extension Publisher {
  /// Passes on the time since the value before, or since the subscription, instead of each value.
  ///
  /// ```marble
  /// source: -a--b-|
  /// measureInterval(using: scheduler).map { $0 == .milliseconds(10) ? "s" : "l" }
  /// result: -s--l-|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers: the scheduler is only asked for the time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter scheduler: What measures the time.
  @inlinable
  public func measureInterval(
    using scheduler: any Scheduler
  ) -> Publishers.MeasureInterval<Self> {
    Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
  }
}

extension Publishers {
  /// A publisher of the times between its upstream's values.
  @frozen
  public struct MeasureInterval<Upstream: Publisher>: Publisher {
    public typealias Output = Duration
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let scheduler: any Scheduler

    @inlinable
    public init(upstream: Upstream, scheduler: any Scheduler) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Duration, Downstream.Failure == Failure {
      let stage = MeasureIntervalStage<Upstream.Output, Failure>(
        last: scheduler.now, scheduler: scheduler)
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}

@frozen
@usableFromInline
struct MeasureIntervalStage<Input: Sendable, Failure: Error>: Stage {
  @usableFromInline var last: Duration
  @usableFromInline let scheduler: any Scheduler

  @inlinable
  init(last: Duration, scheduler: any Scheduler) {
    self.last = last
    self.scheduler = scheduler
  }

  @inlinable
  mutating func receive(_ input: Input) -> StageStep<Duration, Failure> {
    let now = scheduler.now
    defer { last = now }
    return .pass(now - last)
  }
}
