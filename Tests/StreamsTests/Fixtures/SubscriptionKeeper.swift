import Streams

/// Keeps the subscription outside of the subscriber, like a caller that holds a cancellable.
final class SubscriptionKeeper: Sendable {
  private let box = Box<any Subscription>()

  var subscription: (any Subscription)? { box.value }

  func keep(_ subscription: any Subscription) {
    box.set(subscription)
  }
}

/// A subscriber that owns nothing but a probe.
final class KeptSubscriber<Input: Sendable, Failure: Error>: Subscriber {
  let keeper: SubscriptionKeeper
  let demand: Subscribers.Demand

  init(keeper: SubscriptionKeeper, demand: Subscribers.Demand = .unlimited) {
    self.keeper = keeper
    self.demand = demand
  }

  func receive(subscription: any Subscription) {
    keeper.keep(subscription)
    subscription.request(demand)
  }

  func receive(_ input: Input) -> Subscribers.Demand { .none }

  func receive(completion: Subscribers.Completion<Failure>) {}
}
