/// A subscriber to one of the upstreams of a fan-in.
@frozen @usableFromInline
struct FanInPort<Slots: FanInSlots, Downstream: Subscriber, Input: Sendable>: Subscriber
where Slots.Row == Downstream.Input {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let fanIn: FanIn<Slots, Downstream>
  @usableFromInline let id: FanInID
  @usableFromInline let put: @Sendable (inout Slots, Input) -> Input?

  @inlinable init(
    fanIn: FanIn<Slots, Downstream>, id: FanInID,
    put: @escaping @Sendable (inout Slots, Input) -> Input?
  ) {
    self.fanIn = fanIn
    self.id = id
    self.put = put
  }

  @inlinable var context: SubscriptionContext { fanIn.downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    fanIn.admit(subscription, of: id)
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    fanIn.receive(input, from: id, put: put)
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    fanIn.ended(completion, of: id)
  }
}

/// A subscriber to the upstream whose values become the upstreams of a fan-in.
@frozen @usableFromInline
struct FanInSource<Input: Sendable, Child: Publisher, Downstream: Subscriber>: Subscriber
where Child.Output == Downstream.Input, Child.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let fanIn: FanIn<PassingSlot<Child.Output>, Downstream>
  @usableFromInline let transform: @Sendable (Input) -> Child

  /// Subscribes to the upstream, unless the downstream has cancelled already.
  @inlinable static func subscribe<Upstream: Publisher>(
    _ upstream: Upstream, for downstream: Downstream, rule: FanInRule,
    limit: Subscribers.Demand = .unlimited, transform: @escaping @Sendable (Input) -> Child
  ) where Upstream.Output == Input, Upstream.Failure == Failure {
    let fanIn = FanIn<PassingSlot<Child.Output>, Downstream>(
      for: downstream, rule: rule, limit: limit)
    guard fanIn.gate.isOpen else { return }
    upstream.receive(subscriber: FanInSource(fanIn: fanIn, transform: transform))
  }

  @inlinable init(
    fanIn: FanIn<PassingSlot<Child.Output>, Downstream>,
    transform: @escaping @Sendable (Input) -> Child
  ) {
    self.fanIn = fanIn
    self.transform = transform
  }

  @inlinable var context: SubscriptionContext { fanIn.downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    fanIn.admitOuter(subscription)
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    // The cancel of a replaced input may cancel the stream, and so may the closure.
    guard let id = fanIn.addInput(), fanIn.gate.isOpen else { return .none }
    let child = transform(input)
    guard fanIn.gate.isOpen else { return .none }
    // A value that exists already needs no subscription. The cast costs nothing, because it is
    // decided when this is compiled for its types.
    if let just = child as? Just<Child.Output>, let more = fanIn.pass(just.output, as: id) {
      return more
    }
    child.receive(subscriber: FanInPort(fanIn: fanIn, id: id) { $0.put($1) })
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    fanIn.outerEnded(completion)
  }
}
