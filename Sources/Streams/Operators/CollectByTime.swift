extension Publisher {
  /// Collects values into groups by time, or by time and count.
  ///
  /// Time windows follow one another, starting with the subscription. At the end of a window, its
  /// values are sent as a group. An empty window sends nothing. With `.byTimeOrCount`, a full group
  /// is sent at once. When the stream finishes, the rest is sent.
  ///
  /// ```marble
  /// source: -a-b----c--|
  /// collect(.byTime(scheduler, .milliseconds(50)))
  /// result: -----x----y|
  /// x = ["a", "b"]
  /// y = ["c"]
  /// ```
  ///
  /// - Demand: With `.byTime`, requests everything from the upstream. With `.byTimeOrCount`,
  ///   requests as many values as the requested groups can hold. If a window closes before its
  ///   group is full, the rest of its demand is left to the next group. Groups wait for demand.
  /// - Errors: The upstream's failure, at once, without the values collected so far.
  /// - Completion: When the upstream finishes, after the last group.
  /// - Cancellation: Cancels the upstream and the timer at once.
  /// - Delivery: On the strategy's scheduler.
  /// - Complexity: O(1) for each value; one timer for each window that has values.
  ///
  /// - Parameter strategy: The rule that forms groups.
  @inlinable public func collect(
    _ strategy: Publishers.TimeGroupingStrategy
  ) -> Publishers.CollectByTime<Self> {
    Publishers.CollectByTime(
      Deferred {
        Publishers.Timed(
          self, Publishers.CollectByTimeStage(strategy), scheduler: strategy.parts.scheduler)
      })
  }
}

extension Publishers {
  /// A rule that forms groups of values.
  public enum TimeGroupingStrategy: Sendable {
    /// The values of a time window: the scheduler that measures it, and its length.
    ///
    /// A length that is not positive counts as one nanosecond.
    case byTime(any Scheduler, Duration)
    /// The values of a time window, but no more than a count, which is at least one.
    case byTimeOrCount(any Scheduler, Duration, Int)

    @usableFromInline var parts: (scheduler: any Scheduler, window: Duration, count: Int?) {
      switch self {
      case .byTime(let scheduler, let window): (scheduler, max(window, .shortestInterval), nil)
      case .byTimeOrCount(let scheduler, let window, let count):
        (scheduler, max(window, .shortestInterval), max(count, 1))
      }
    }
  }

  /// A publisher of groups of values that arrived in one time window.
  @frozen public struct CollectByTime<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    @usableFromInline let base:
      Deferred<Timed<Upstream, CollectByTimeStage<Upstream.Output, Upstream.Failure>>>

    @inlinable init(
      _ base: Deferred<Timed<Upstream, CollectByTimeStage<Upstream.Output, Upstream.Failure>>>
    ) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that collects values until the window closes or the group is full.
  @frozen public struct CollectByTimeStage<Input: Sendable, Failure: Error>: TimedStage {
    @usableFromInline let window: Duration
    @usableFromInline let count: Int?
    @usableFromInline let start: Duration
    @usableFromInline var group: [Input] = []
    /// The number of requested values that have not arrived, if groups have a count.
    @usableFromInline var asked = Subscribers.Demand.none

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
      case .demand:
        if let count { ask(for: count, &outlet) }
      case .value(let input):
        asked -= 1
        if group.isEmpty { outlet.deadline = outlet.now.next(every: window, from: start) }
        group.append(input)
        if group.count == count { close(&outlet) }
      case .wake: close(&outlet)
      case .end(let completion):
        if case .finished = completion { close(&outlet) }
        outlet.end = .failingFast(completion)
      }
    }

    /// Requests what the requested groups can still hold.
    ///
    /// Some values may be outstanding, because the windows of earlier groups closed early.
    @inlinable mutating func ask(for count: Int, _ outlet: inout Outlet<[Input], Failure>) {
      let more = outlet.unserved * count - asked - group.count
      asked += more
      outlet.request += more
    }

    @inlinable mutating func close(_ outlet: inout Outlet<[Input], Failure>) {
      outlet.deadline = nil
      guard !group.isEmpty else { return }
      outlet.send(group)
      group = []
    }
  }
}
