/// A subscriber to a shared run, which reports when it leaves before the end.
@frozen @usableFromInline struct RunSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let watch: SubscriptionWatch

  @inlinable init(downstream: Downstream, willLeave: @escaping @Sendable () -> Void) {
    self.downstream = downstream
    watch = SubscriptionWatch { command in
      if case .cancel = command { willLeave() }
    }
  }

  @inlinable var context: SubscriptionContext { downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    guard watch.gate.admit(subscription, for: Self.self) else { return }
    downstream.receive(subscription: ClosureSubscription { [watch] in watch.perform($0) })
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    watch.gate.admitsValue(for: Self.self) ? downstream.receive(input) : .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if watch.finish(for: Self.self) { downstream.receive(completion: completion) }
  }
}
