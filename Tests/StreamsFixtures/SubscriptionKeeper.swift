import Streams

/// Keeps the subscription outside of the subscriber, like a caller that holds a cancellable.
package final class SubscriptionKeeper: Sendable {
  private let box = Box<any Subscription>()

  package init() {}

  package var subscription: (any Subscription)? { box.value }

  package func keep(_ subscription: any Subscription) {
    box.set(subscription)
  }
}

/// A subscriber that owns nothing but a probe.
package final class KeptSubscriber<Input: Sendable, Failure: Error>: Subscriber {
  package let keeper: SubscriptionKeeper
  package let demand: Subscribers.Demand

  package init(keeper: SubscriptionKeeper, demand: Subscribers.Demand = .unlimited) {
    self.keeper = keeper
    self.demand = demand
  }

  package func receive(subscription: any Subscription) {
    keeper.keep(subscription)
    subscription.request(demand)
  }

  package func receive(_ input: Input) -> Subscribers.Demand { .none }

  package func receive(completion: Subscribers.Completion<Failure>) {}
}
