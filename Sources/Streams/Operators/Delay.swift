extension Publisher {
  /// Passes on each value, and the end, a time after it came.
  ///
  /// Order and distances are kept. A failure is delayed like any other signal, as in Combine.
  ///
  /// ```marble
  /// source: -a--b-|
  /// delay(for: .milliseconds(20), scheduler: scheduler)
  /// result: ---a--b-|
  /// ```
  ///
  /// - Demand: The downstream's, so that no more values wait than were asked for.
  /// - Errors: The upstream's failure.
  /// - Completion: The same time after the upstream finishes.
  /// - Cancellation: Cancels the upstream and the one timer at once; what waits is released.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each value; one timer for each moment at which values are due.
  ///
  /// - Parameters:
  ///   - interval: How long to wait; a time that is not positive is none.
  ///   - scheduler: What measures the time and delivers.
  @inlinable
  public func delay(
    for interval: Duration, scheduler: any Scheduler
  ) -> Publishers.Delay<Self> {
    Publishers.Delay(upstream: self, interval: interval, scheduler: scheduler)
  }
}

extension Publishers {
  /// A publisher that passes on each signal a time after it came.
  @frozen
  public struct Delay<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let interval: Duration
    public let scheduler: any Scheduler

    @inlinable
    public init(upstream: Upstream, interval: Duration, scheduler: any Scheduler) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.receive(
        subscriber: OutboxSubscriber(
          DelayStage<Output, Failure>(interval: interval), downstream: subscriber,
          scheduler: scheduler))
    }
  }
}

@frozen
@usableFromInline
struct DelayStage<Input: Sendable, Failure: Error>: OutletStage {
  @usableFromInline typealias Output = Input

  @usableFromInline let interval: Duration
  @usableFromInline var waiting = FIFO<Input>()
  @usableFromInline var dueTimes = FIFO<Duration>()
  @usableFromInline var end: Subscribers.Completion<Failure>?

  @inlinable
  init(interval: Duration) {
    self.interval = max(interval, .zero)
  }

  @inlinable var initialRequest: Subscribers.Demand { .none }

  @inlinable
  mutating func requested(
    _ demand: Subscribers.Demand, at now: Duration, outlet: inout Outlet<Output, Failure>
  ) -> Subscribers.Demand { demand }

  @inlinable
  mutating func receive(_ input: Input, at now: Duration, outlet: inout Outlet<Output, Failure>) {
    waiting.append(input)
    wait(until: now + interval, outlet: &outlet)
  }

  @inlinable
  mutating func receive(
    completion: Subscribers.Completion<Failure>, at now: Duration,
    outlet: inout Outlet<Output, Failure>
  ) {
    end = completion
    wait(until: now + interval, outlet: &outlet)
  }

  @inlinable
  mutating func wait(until due: Duration, outlet: inout Outlet<Output, Failure>) {
    dueTimes.append(due)
    if outlet.deadline == nil { outlet.deadline = due }
  }

  @inlinable
  mutating func wake(at now: Duration, outlet: inout Outlet<Output, Failure>) {
    while let due = dueTimes.first, due <= now {
      _ = dueTimes.popFirst()
      if let value = waiting.popFirst() {
        outlet.ready.append(value)
      } else if let end {
        outlet.end = .afterValues(end)
      }
    }
    outlet.deadline = dueTimes.first
  }
}
