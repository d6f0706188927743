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
  @inlinable public func collect(
    _ strategy: Publishers.TimeGroupingStrategy
  ) -> Publishers.CollectByTime<Self> {
    Deferred {
      Publishers.Timed(
        self, Publishers.CollectByTimeStage(strategy), scheduler: strategy.parts.scheduler)
    }
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

    @usableFromInline var parts: (scheduler: any Scheduler, window: Duration, count: Int?) {
      switch self {
      case .byTime(let scheduler, let window): (scheduler, max(window, .shortestInterval), nil)
      case .byTimeOrCount(let scheduler, let window, let count):
        (scheduler, max(window, .shortestInterval), max(count, 1))
      }
    }
  }

  /// A publisher of groups of values that came in one window of time.
  public typealias CollectByTime<Upstream: Publisher> =
    Deferred<Timed<Upstream, CollectByTimeStage<Upstream.Output, Upstream.Failure>>>

  /// Gathers values until their window closes or the group is full.
  @frozen public struct CollectByTimeStage<Input: Sendable, Failure: Error>: TimedStage {
    @usableFromInline let window: Duration
    @usableFromInline let count: Int?
    @usableFromInline let start: Duration
    @usableFromInline var group: [Input] = []

    @inlinable init(_ strategy: Publishers.TimeGroupingStrategy) {
      let scheduler: any Scheduler
      (scheduler, window, count) = strategy.parts
      start = scheduler.now
    }

    @inlinable public mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<[Input], Failure>
    ) {
      switch event {
      case .delivery: break
      case .begin:
        if count == nil { outlet.request = .unlimited }
      case .demand(let demand):
        if let count { outlet.request += demand * count }
      case .value(let input):
        if group.isEmpty { outlet.deadline = outlet.now.next(every: window, from: start) }
        group.append(input)
        if group.count == count { close(&outlet) }
      case .wake: close(&outlet)
      case .end(let completion):
        if case .finished = completion { close(&outlet) }
        outlet.end = .failingFast(completion)
      }
    }

    @inlinable mutating func close(_ outlet: inout Outlet<[Input], Failure>) {
      outlet.deadline = nil
      guard !group.isEmpty else { return }
      outlet.send(group)
      group = []
    }
  }
}
