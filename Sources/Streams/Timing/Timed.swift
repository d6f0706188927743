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
      let outbox = Outbox(stage, downstream: subscriber, scheduler: scheduler)
      upstream.receive(subscriber: OutboxSubscriber(outbox: outbox))
    }
  }
}

/// A subscriber that puts an upstream's signals into an outbox.
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
