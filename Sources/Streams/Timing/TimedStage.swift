extension Publishers {
  /// A state machine of value type that handles values, time and demand, and only moves values.
  ///
  /// It runs under a lock. User code belongs in ``Publishers/OutletEnd/lapsed(_:)``, which runs
  /// without the lock. Each subscription works on its own copy.
  public protocol TimedStage<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// Handles an event, and tells the outlet what follows.
    mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<Output, Failure>)

    /// Stops the work that still runs after the stream is over.
    ///
    /// It is called without the lock, and does nothing by default.
    func discard()
  }
}

extension Publishers.TimedStage {
  @inlinable public func discard() {}
}

extension Publishers {
  /// An event for a ``Publishers/TimedStage``.
  @frozen public enum TimedEvent<Input: Sendable, Failure: Error>: Sendable {
    /// The subscription begins.
    ///
    /// The downstream has the subscription already, and may have requested values.
    case begin
    /// A value arrived.
    case value(Input)
    /// The upstream has ended.
    case end(Subscribers.Completion<Failure>)
    /// The downstream requested more values, which the outlet counts already.
    case demand(Subscribers.Demand)
    /// A value goes to the downstream.
    ///
    /// The outlet's request is made after that.
    case delivery
    /// The deadline has come and is unset.
    case wake
  }
}

extension Publishers {
  /// A publisher of the output that a ``Publishers/TimedStage`` makes from values and time.
  ///
  /// The scheduler delivers values one at a time, on request. Without a scheduler, values arrive on
  /// the thread of the upstream or of the request.
  @frozen public struct Timed<Upstream: Publisher, Machine: TimedStage>: Publisher
  where Machine.Input == Upstream.Output, Machine.Failure == Upstream.Failure {
    public typealias Output = Machine.Output
    public typealias Failure = Machine.Failure

    public let upstream: Upstream
    public let stage: Machine
    public let scheduler: (any Scheduler)?

    /// - Parameters:
    ///   - upstream: The publisher of the values.
    ///   - stage: The stage, which is copied for each subscription.
    ///   - scheduler: The scheduler that measures the time and delivers, or nil for a stage that
    ///     sets no deadline.
    @inlinable public init(_ upstream: Upstream, _ stage: Machine, scheduler: (any Scheduler)?) {
      self.upstream = upstream
      self.stage = stage
      self.scheduler = scheduler
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      let driver = TimedDriver(stage, downstream: subscriber, scheduler: scheduler)
      upstream.receive(subscriber: TimedSubscriber(driver: driver))
    }
  }
}

extension Publishers {
  /// As ``Timed``, but values arrive on the thread of each event, as without a scheduler.
  package struct TimedInPlace<Upstream: Publisher, Machine: TimedStage>: Publisher
  where Machine.Input == Upstream.Output, Machine.Failure == Upstream.Failure {
    package typealias Output = Machine.Output
    package typealias Failure = Machine.Failure

    private let upstream: Upstream
    private let stage: Machine
    private let clock: any Scheduler

    /// - Parameter clock: The scheduler that measures the time. It delivers what a deadline causes.
    package init(_ upstream: Upstream, _ stage: Machine, clock: any Scheduler) {
      self.upstream = upstream
      self.stage = stage
      self.clock = clock
    }

    package func receive(subscriber: some Subscriber<Output, Failure>) {
      let driver = TimedDriver(stage, downstream: subscriber, scheduler: clock, isInPlace: true)
      upstream.receive(subscriber: TimedSubscriber(driver: driver))
    }
  }
}

/// A subscriber that puts an upstream's signals into a driver.
@frozen @usableFromInline
struct TimedSubscriber<Machine: Publishers.TimedStage, Downstream: Subscriber>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input
  @usableFromInline typealias Failure = Machine.Failure

  @usableFromInline let driver: TimedDriver<Machine, Downstream>

  @inlinable init(driver: TimedDriver<Machine, Downstream>) {
    self.driver = driver
  }

  @inlinable var context: SubscriptionContext { driver.context }

  @inlinable func receive(subscription: any Subscription) {
    if driver.gate.admit(subscription, for: Self.self) { driver.start() }
  }

  @inlinable func receive(_ input: Machine.Input) -> Subscribers.Demand {
    if driver.gate.admitsValue(for: Self.self) {
      driver.handle(.value(input))
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Machine.Failure>) {
    if driver.gate.finish(for: Self.self) { driver.handle(.end(completion)) }
  }
}
