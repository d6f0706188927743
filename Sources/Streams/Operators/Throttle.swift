extension Publisher {
  /// Passes on at most one value in a time.
  ///
  /// The first value passes at once. Of those that come in the time after a value, the latest or
  /// the first passes when the time is over. The one that waits when the stream finishes is
  /// delivered then.
  ///
  /// ```marble
  /// source: -a-b-c------d-|
  /// throttle(for: .milliseconds(50), scheduler: scheduler, latest: true)
  /// result: -a----c-----d-|
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; one value waits for demand.
  /// - Errors: The upstream's failure, at once, without the value that waits.
  /// - Completion: When the upstream finishes, at once, after the value that waits.
  /// - Cancellation: Cancels the upstream and the one timer at once.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each value; at most one timer for each value that passes.
  ///
  /// - Parameters:
  ///   - interval: The shortest time between two values.
  ///   - scheduler: What measures the time and delivers.
  ///   - latest: Whether the latest of the values that have to wait passes, or the first.
  @inlinable
  public func throttle(
    for interval: Duration, scheduler: any Scheduler, latest: Bool
  ) -> Publishers.Throttle<Self> {
    Publishers.Throttle(
      upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

extension Publishers {
  /// A publisher of at most one value in a time.
  @frozen
  public struct Throttle<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let interval: Duration
    public let scheduler: any Scheduler
    public let latest: Bool

    @inlinable
    public init(
      upstream: Upstream, interval: Duration, scheduler: any Scheduler, latest: Bool
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.latest = latest
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.receive(
        subscriber: OutboxSubscriber(
          ThrottleStage<Output, Failure>(interval: interval, latest: latest),
          downstream: subscriber, scheduler: scheduler))
    }
  }
}

@frozen
@usableFromInline
struct ThrottleStage<Input: Sendable, Failure: Error>: OutletStage {
  @usableFromInline typealias Output = Input

  @usableFromInline let interval: Duration
  @usableFromInline let latest: Bool
  @usableFromInline var candidate: Input?
  @usableFromInline var reopening: Duration?

  @inlinable
  init(interval: Duration, latest: Bool) {
    self.interval = max(interval, .zero)
    self.latest = latest
  }

  @inlinable
  mutating func receive(_ input: Input, at now: Duration, outlet: inout Outlet<Output, Failure>) {
    guard let reopening, now < reopening else {
      // A timer that is late leaves a value behind, which the new one competes with.
      let winner = latest ? input : candidate ?? input
      if latest { outlet.dropped = candidate.take() } else { candidate = nil }
      pass(winner, at: now, outlet: &outlet)
      return
    }
    guard latest || candidate == nil else { return }
    outlet.dropped = candidate.take()
    candidate = input
    outlet.deadline = reopening
  }

  @inlinable
  mutating func pass(_ value: Input, at now: Duration, outlet: inout Outlet<Output, Failure>) {
    reopening = now + interval
    outlet.deadline = nil
    if outlet.ready.isEmpty {
      outlet.ready.append(value)
    } else if latest {
      outlet.replaceOldest(value)
    } else {
      outlet.dropped = value
    }
  }

  @inlinable
  mutating func wake(at now: Duration, outlet: inout Outlet<Output, Failure>) {
    if let value = candidate.take() { pass(value, at: now, outlet: &outlet) }
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
