import Streams

/// Hands the signals of a Streams publisher to a Combine subscriber.
struct ForwardingSubscriber<Downstream: CombineFramework.Subscriber>: Streams.Subscriber,
  @unchecked Sendable
where Downstream.Input: Sendable {
  // Unchecked is right: Combine does not mark its subscribers. Streams signals one at a time, each
  // after the end of the one before (contract C-1), which is what Combine asks of a publisher.
  private let downstream: Downstream

  /// What the subscriber gives, where only erased types are between it and this.
  let context: SubscriptionContext

  init(_ downstream: Downstream) {
    self.downstream = downstream
    context = (downstream as? any ContextCarrier)?.context ?? SubscriptionContext()
  }

  func receive(subscription: any Streams.Subscription) {
    downstream.receive(subscription: ForwardingSubscription(subscription))
  }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    Subscribers.Demand(downstream.receive(input))
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    downstream.receive(completion: completion.forCombine)
  }
}

/// Hands the requests of a Combine subscriber to a Streams subscription.
///
/// A class, since Combine tells subscriptions apart by their identity.
private final class ForwardingSubscription: CombineFramework.Subscription,
  CustomStringConvertible
{
  private let upstream: any Streams.Subscription

  init(_ upstream: any Streams.Subscription) {
    self.upstream = upstream
  }

  /// How Combine's `print()` names a subscription of Streams.
  var description: String { "Streams" }

  func request(_ demand: CombineFramework.Subscribers.Demand) {
    upstream.request(Subscribers.Demand(demand))
  }

  func cancel() {
    upstream.cancel()
  }
}

/// A Combine subscriber that has a subscription context to pass on.
protocol ContextCarrier {
  var context: SubscriptionContext { get }
}
