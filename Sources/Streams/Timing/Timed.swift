extension Publishers {
  /// A publisher of what a ``Publishers/TimedStage`` makes of values and of time.
  ///
  /// Values are delivered by the scheduler, one at a time and as they are asked for; without one,
  /// where they come or where they are asked for.
  @frozen public struct Timed<Upstream: Publisher, Machine: TimedStage>: Publisher
  where Machine.Input == Upstream.Output, Machine.Failure == Upstream.Failure {
    public typealias Output = Machine.Output
    public typealias Failure = Machine.Failure

    public let upstream: Upstream
    public let stage: Machine
    public let scheduler: (any Scheduler)?

    /// - Parameters:
    ///   - upstream: Where the values come from.
    ///   - stage: Copied for each subscription.
    ///   - scheduler: What measures the time and delivers; nil for a stage that sets no deadline.
    @inlinable public init(_ upstream: Upstream, _ stage: Machine, scheduler: (any Scheduler)?) {
      self.upstream = upstream
      self.stage = stage
      self.scheduler = scheduler
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      let outbox = Outbox(stage, downstream: subscriber, scheduler: scheduler)
      upstream.receive(subscriber: OutboxSubscriber(outbox: outbox))
    }
  }
}

/// Puts an upstream's signals into an outbox.
@frozen @usableFromInline
struct OutboxSubscriber<Machine: Publishers.TimedStage, Downstream: Subscriber>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input
  @usableFromInline typealias Failure = Machine.Failure

  @usableFromInline let outbox: Outbox<Machine, Downstream>

  @inlinable init(outbox: Outbox<Machine, Downstream>) {
    self.outbox = outbox
  }

  @inlinable var context: SubscriptionContext { outbox.context }

  @inlinable func receive(subscription: any Subscription) {
    if outbox.gate.admit(subscription, for: Self.self) { outbox.start() }
  }

  @inlinable func receive(_ input: Machine.Input) -> Subscribers.Demand {
    if outbox.gate.admitsValue(for: Self.self) {
      outbox.handle(.value(input))
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Machine.Failure>) {
    if outbox.gate.finish(for: Self.self) { outbox.handle(.end(completion)) }
  }
}
