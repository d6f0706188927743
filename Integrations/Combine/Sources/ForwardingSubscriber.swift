import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// Hands the signals of a Streams publisher to a Combine subscriber.
@usableFromInline
struct ForwardingSubscriber<Downstream: CombineFramework.Subscriber>: Streams.Subscriber,
  @unchecked Sendable
where Downstream.Input: Sendable {
  // Unchecked is right: Combine does not mark its subscribers. Streams signals one at a time, each
  // after the end of the one before (contract C-1), which is what Combine asks of a publisher.
  @usableFromInline let downstream: Downstream

  /// What the subscriber gives, where only erased types are between it and this.
  @usableFromInline let context: SubscriptionContext

  @inlinable init(_ downstream: Downstream) {
    self.downstream = downstream
    context = (downstream as? any ContextCarrier)?.context ?? SubscriptionContext()
  }

  @inlinable func receive(subscription: any Streams.Subscription) {
    downstream.receive(subscription: ForwardingSubscription(subscription))
  }

  @inlinable func receive(_ input: Downstream.Input) -> Streams.Subscribers.Demand {
    Streams.Subscribers.Demand(downstream.receive(input))
  }

  @inlinable func receive(completion: Streams.Subscribers.Completion<Downstream.Failure>) {
    downstream.receive(completion: completion.forCombine)
  }
}

/// Hands the requests of a Combine subscriber to a Streams subscription.
///
/// A class, since Combine tells subscriptions apart by their identity.
@usableFromInline
final class ForwardingSubscription: CombineFramework.Subscription,
  CustomStringConvertible
{
  @usableFromInline let upstream: any Streams.Subscription

  @inlinable init(_ upstream: any Streams.Subscription) {
    self.upstream = upstream
  }

  /// How Combine's `print()` names a subscription of Streams.
  @inlinable var description: String { "Streams" }

  @inlinable func request(_ demand: CombineFramework.Subscribers.Demand) {
    upstream.request(Streams.Subscribers.Demand(demand))
  }

  @inlinable func cancel() {
    upstream.cancel()
  }
}

/// A Combine subscriber that has a subscription context to pass on.
@usableFromInline protocol ContextCarrier {
  var context: SubscriptionContext { get }
}
