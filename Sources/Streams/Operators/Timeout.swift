extension Publisher {
  /// Ends the stream if a time passes without a value.
  ///
  /// The time starts with the subscription and with each value that comes from the upstream,
  /// whether or not the downstream has asked for one.
  ///
  /// ```marble
  /// source:            -a--b-------c-|
  /// source subscribed: ^-------!
  /// timeout(.milliseconds(40), scheduler: scheduler)
  /// result:            -a--b---|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure, or the custom error when the time is over.
  /// - Completion: When the upstream finishes, or when the time is over and there is no custom
  ///   error.
  /// - Cancellation: Cancels the upstream and the one timer at once; so does the end of the time.
  /// - Delivery: On the scheduler.
  /// - Complexity: O(1) for each value, which moves the deadline of one timer.
  ///
  /// - Parameters:
  ///   - interval: The longest time between two values.
  ///   - scheduler: What measures the time and delivers.
  ///   - customError: Makes the failure to end with; without it the stream finishes.
  @inlinable
  public func timeout(
    _ interval: Duration, scheduler: any Scheduler,
    customError: (@Sendable () -> Failure)? = nil
  ) -> Publishers.Timeout<Self> {
    Publishers.Timeout(
      upstream: self, interval: interval, scheduler: scheduler, customError: customError)
  }
}

extension Publishers {
  /// A publisher that ends if a time passes without a value.
  @frozen
  public struct Timeout<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let interval: Duration
    public let scheduler: any Scheduler
    public let customError: (@Sendable () -> Failure)?

    @inlinable
    public init(
      upstream: Upstream, interval: Duration, scheduler: any Scheduler,
      customError: (@Sendable () -> Failure)?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.customError = customError
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.receive(
        subscriber: OutboxSubscriber(
          TimeoutStage<Output, Failure>(interval: interval, customError: customError),
          downstream: subscriber, scheduler: scheduler))
    }
  }
}

@frozen
@usableFromInline
struct TimeoutStage<Input: Sendable, Failure: Error>: OutletStage {
  @usableFromInline typealias Output = Input

  @usableFromInline let interval: Duration
  @usableFromInline let customError: (@Sendable () -> Failure)?

  @inlinable
  init(interval: Duration, customError: (@Sendable () -> Failure)?) {
    self.interval = max(interval, .zero)
    self.customError = customError
  }

  @inlinable var initialRequest: Subscribers.Demand { .none }

  @inlinable
  mutating func begin(at now: Duration, outlet: inout Outlet<Output, Failure>) {
    if outlet.deadline == nil { outlet.deadline = now + interval }
  }

  @inlinable
  mutating func requested(
    _ demand: Subscribers.Demand, at now: Duration, outlet: inout Outlet<Output, Failure>
  ) -> Subscribers.Demand { demand }

  @inlinable
  mutating func receive(_ input: Input, at now: Duration, outlet: inout Outlet<Output, Failure>) {
    outlet.ready.append(input)
    outlet.deadline = now + interval
  }

  @inlinable
  mutating func receive(
    completion: Subscribers.Completion<Failure>, at now: Duration,
    outlet: inout Outlet<Output, Failure>
  ) {
    outlet.end = .afterValues(completion)
  }

  @inlinable
  mutating func wake(at now: Duration, outlet: inout Outlet<Output, Failure>) {
    outlet.end = .lapsed
  }

  @inlinable
  func lapsed() -> Subscribers.Completion<Failure> {
    customError.map { .failure($0()) } ?? .finished
  }
}
