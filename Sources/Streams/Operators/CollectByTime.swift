extension Publisher {
  /// Gathers values into groups by time, or by time and number.
  ///
  /// Windows follow one another from the subscription on; what came in one is passed on as a group
  /// at its end, and nothing where nothing came. By time or count, a full group does not wait for
  /// that end. The rest is passed on when the stream finishes.
  ///
  /// ```marble
  /// source: -a-b----c--|
  /// collect(.byTime(scheduler, .milliseconds(50)))
  /// result: -----x----y|
  /// x = ["a", "b"]
  /// y = ["c"]
  /// ```
  ///
  /// - Demand: By time, asks the upstream for everything; by time or count, for as many values as
  ///   the groups asked for can hold. Groups wait for demand.
  /// - Errors: The upstream's failure, at once, without the values gathered so far.
  /// - Completion: When the upstream finishes, after the last group.
  /// - Cancellation: Cancels the upstream and the one timer at once.
  /// - Delivery: On the scheduler of the strategy.
  /// - Complexity: O(1) for each value; one timer for each window in which values come.
  ///
  /// - Parameter strategy: What makes a group.
  @inlinable
  public func collect(
    _ strategy: Publishers.TimeGroupingStrategy
  ) -> Publishers.CollectByTime<Self> {
    Publishers.CollectByTime(upstream: self, strategy: strategy)
  }
}

extension Publishers {
  /// What makes a group of values.
  public enum TimeGroupingStrategy: Sendable {
    /// The values of a window of time: measured by this scheduler, of this length; a nanosecond if
    /// it is not positive.
    case byTime(any Scheduler, Duration)
    /// The values of a window of time, and no more than a count, which is at least one.
    case byTimeOrCount(any Scheduler, Duration, Int)

    @usableFromInline var scheduler: any Scheduler {
      switch self {
      case .byTime(let scheduler, _), .byTimeOrCount(let scheduler, _, _): scheduler
      }
    }

    @usableFromInline var window: Duration {
      switch self {
      case .byTime(_, let window), .byTimeOrCount(_, let window, _):
        max(window, .shortestInterval)
      }
    }

    @usableFromInline var count: Int? {
      switch self {
      case .byTime: nil
      case .byTimeOrCount(_, _, let count): max(count, 1)
      }
    }
  }

  /// A publisher of groups of values that came in one window of time.
  @frozen
  public struct CollectByTime<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let strategy: TimeGroupingStrategy

    @inlinable
    public init(upstream: Upstream, strategy: TimeGroupingStrategy) {
      self.upstream = upstream
      self.strategy = strategy
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let stage = CollectByTimeStage<Upstream.Output, Failure>(
        window: strategy.window, count: strategy.count, start: strategy.scheduler.now)
      upstream.receive(
        subscriber: OutboxSubscriber(
          stage, downstream: subscriber, scheduler: strategy.scheduler))
    }
  }
}

@frozen
@usableFromInline
struct CollectByTimeStage<Input: Sendable, Failure: Error>: OutletStage {
  @usableFromInline typealias Output = [Input]

  @usableFromInline let window: Duration
  @usableFromInline let count: Int?
  @usableFromInline let start: Duration
  @usableFromInline var group: [Input] = []

  @inlinable
  init(window: Duration, count: Int?, start: Duration) {
    self.window = window
    self.count = count
    self.start = start
  }

  @inlinable var initialRequest: Subscribers.Demand { count == nil ? .unlimited : .none }

  @inlinable
  mutating func requested(
    _ demand: Subscribers.Demand, at now: Duration, outlet: inout Outlet<Output, Failure>
  ) -> Subscribers.Demand {
    count.map { demand * $0 } ?? .none
  }

  @inlinable
  mutating func receive(_ input: Input, at now: Duration, outlet: inout Outlet<Output, Failure>) {
    if group.isEmpty { outlet.deadline = now.next(every: window, from: start) }
    group.append(input)
    if group.count == count { close(&outlet) }
  }

  @inlinable
  mutating func close(_ outlet: inout Outlet<Output, Failure>) {
    outlet.deadline = nil
    guard !group.isEmpty else { return }
    outlet.ready.append(group)
    group = []
  }

  @inlinable
  mutating func wake(at now: Duration, outlet: inout Outlet<Output, Failure>) {
    close(&outlet)
  }

  @inlinable
  mutating func receive(
    completion: Subscribers.Completion<Failure>, at now: Duration,
    outlet: inout Outlet<Output, Failure>
  ) {
    if case .finished = completion { close(&outlet) }
    outlet.end = .failingFast(completion)
  }
}
