extension Publisher {
  /// Delays each value and the completion by an interval.
  ///
  /// The order of signals and the times between them stay the same. A failure is delayed like any
  /// other signal, as in Combine.
  ///
  /// ```marble
  /// source: -a--b-|
  /// delay(for: .milliseconds(20), scheduler: scheduler)
  /// result: ---a--b-|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, so no more values wait than were requested.
  /// - Errors: The upstream's failure.
  /// - Completion: One interval after the upstream finishes.
  /// - Cancellation: Cancels the upstream and the timer at once. Waiting signals are released.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each value; one timer for each moment at which values are due.
  ///
  /// - Parameters:
  ///   - interval: The length of the delay. A length that is not positive means no delay.
  ///   - scheduler: The scheduler that measures the time and delivers.
  @inlinable public func delay(
    for interval: Duration, scheduler: any Scheduler
  ) -> Publishers.Delay<Self> {
    Publishers.Delay(Publishers.Timed(self, Publishers.DelayStage(interval), scheduler: scheduler))
  }
}

extension Publishers {
  /// A publisher that delays each signal by an interval.
  @frozen public struct Delay<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Timed<Upstream, DelayStage<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Timed<Upstream, DelayStage<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that holds signals until they are due.
  @frozen public struct DelayStage<Input: Sendable, Failure: Error>: TimedStage {
    @usableFromInline let interval: Duration
    @usableFromInline var waiting = FIFO<Input>()
    @usableFromInline var dueTimes = FIFO<Duration>()
    @usableFromInline var end: Subscribers.Completion<Failure>?

    @inlinable init(_ interval: Duration) {
      self.interval = max(interval, .zero)
    }

    @inlinable public mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<Input, Failure>
    ) {
      switch event {
      case .begin, .delivery: break
      case .demand(let demand): outlet.request += demand
      case .value(let input):
        waiting.append(input)
        wait(&outlet)
      case .end(let completion):
        end = completion
        wait(&outlet)
      case .wake:
        while let due = dueTimes.first, due <= outlet.now {
          _ = dueTimes.popFirst()
          if let value = waiting.popFirst() {
            outlet.send(value)
          } else if let end {
            outlet.end = .afterValues(end)
          }
        }
        outlet.deadline = dueTimes.first
      }
    }

    @inlinable mutating func wait(_ outlet: inout Outlet<Input, Failure>) {
      let due = outlet.now.adding(interval)
      dueTimes.append(due)
      if outlet.deadline == nil { outlet.deadline = due }
    }
  }
}
