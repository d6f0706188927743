extension Publisher {
  /// Ends the stream if no value arrives within an interval.
  ///
  /// The interval starts with the subscription and with each value from the upstream, whether or
  /// not the downstream has requested a value.
  ///
  /// ```marble
  /// source:            -a--b-------c-|
  /// source subscribed: ^-------!
  /// timeout(.milliseconds(40), scheduler: scheduler)
  /// result:            -a--b---|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure, or the custom error when the interval is over.
  /// - Completion: When the upstream finishes, or when the interval is over and there is no custom
  ///   error.
  /// - Cancellation: Cancels the upstream and the timer at once. The end of the interval cancels
  ///   the upstream, too.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each value, which moves the deadline of one timer.
  ///
  /// - Parameters:
  ///   - interval: The longest time between two values.
  ///   - scheduler: The scheduler that measures the time and delivers.
  ///   - customError: A closure that makes the failure. Without it, the stream finishes.
  @inlinable public func timeout(
    _ interval: Duration, scheduler: any Scheduler,
    customError: (@Sendable () -> Failure)? = nil
  ) -> Publishers.Timeout<Self> {
    Publishers.Timeout(
      Publishers.Timed(
        self, Publishers.TimeoutStage(interval, customError: customError), scheduler: scheduler))
  }
}

extension Publishers {
  /// A publisher that ends if no value arrives within an interval.
  @frozen public struct Timeout<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Timed<Upstream, TimeoutStage<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Timed<Upstream, TimeoutStage<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that passes values on, and ends if none arrives within an interval.
  @frozen public struct TimeoutStage<Input: Sendable, Failure: Error>: TimedStage {
    @usableFromInline let interval: Duration
    @usableFromInline let customError: (@Sendable () -> Failure)?

    @inlinable init(_ interval: Duration, customError: (@Sendable () -> Failure)?) {
      self.interval = max(interval, .zero)
      self.customError = customError
    }

    @inlinable public mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<Input, Failure>
    ) {
      switch event {
      case .delivery: break
      case .begin:
        if outlet.deadline == nil { outlet.deadline = outlet.now.adding(interval) }
      case .demand(let demand): outlet.request += demand
      case .value(let input):
        outlet.send(input)
        outlet.deadline = outlet.now.adding(interval)
      case .end(let completion): outlet.end = .afterValues(completion)
      case .wake:
        outlet.end = .lapsed { [customError] in customError.map { .failure($0()) } ?? .finished }
      }
    }
  }
}
