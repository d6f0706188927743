/// A command of a subscriber to a subscription.
@frozen @usableFromInline enum SubscriptionCommand: Sendable {
  case request(Subscribers.Demand)
  case cancel
}

/// The subscription that sources hand out: a closure formed in inlinable code.
///
/// A generic class that conforms to `Subscription` would work through an unspecialized witness
/// table. A closure is specialized in the place where it is formed. If it captures one object, it
/// costs no allocation.
@frozen @usableFromInline struct ClosureSubscription: Subscription, RepeatableCancellable {
  @usableFromInline let perform: @Sendable (SubscriptionCommand) -> Void

  @inlinable init(_ perform: @escaping @Sendable (SubscriptionCommand) -> Void) {
    self.perform = perform
  }

  @inlinable func request(_ demand: Subscribers.Demand) {
    if demand > .none { perform(.request(demand)) }
  }

  @inlinable func cancel() {
    perform(.cancel)
  }
}

/// The object behind a subscription.
@usableFromInline protocol SubscriptionDriver: AnyObject, Sendable {
  func request(_ demand: Subscribers.Demand)
  func cancel()
}

extension ClosureSubscription {
  @inlinable init(_ driver: some SubscriptionDriver) {
    self.init { command in
      switch command {
      case .request(let demand): driver.request(demand)
      case .cancel: driver.cancel()
      }
    }
  }
}
