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
  @inlinable
  public func debounce(
    for dueTime: Duration, scheduler: any Scheduler
  ) -> Publishers.Debounce<Self> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler)
  }
}

extension Publishers {
  /// A publisher of the values that are followed by a quiet time.
  @frozen
  public struct Debounce<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let dueTime: Duration
    public let scheduler: any Scheduler

    @inlinable
    public init(upstream: Upstream, dueTime: Duration, scheduler: any Scheduler) {
      self.upstream = upstream
      self.dueTime = dueTime
      self.scheduler = scheduler
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.receive(
        subscriber: OutboxSubscriber(
          DebounceStage<Output, Failure>(dueTime: dueTime), downstream: subscriber,
          scheduler: scheduler))
    }
  }
}

@frozen
@usableFromInline
struct DebounceStage<Input: Sendable, Failure: Error>: OutletStage {
  @usableFromInline typealias Output = Input

  @usableFromInline let dueTime: Duration
  @usableFromInline var candidate: Input?

  @inlinable
  init(dueTime: Duration) {
    self.dueTime = max(dueTime, .zero)
  }

  @inlinable
  mutating func receive(_ input: Input, at now: Duration, outlet: inout Outlet<Output, Failure>) {
    outlet.dropped = candidate.take()
    candidate = input
    outlet.deadline = now + dueTime
  }

  @inlinable
  mutating func wake(at now: Duration, outlet: inout Outlet<Output, Failure>) {
    if let value = candidate.take() { outlet.replaceOldest(value) }
  }

  @inlinable
  mutating func receive(
    completion: Subscribers.Completion<Failure>, at now: Duration,
    outlet: inout Outlet<Output, Failure>
  ) {
    if case .finished = completion { wake(at: now, outlet: &outlet) }
    outlet.end = .failingFast(completion)
  }
}
