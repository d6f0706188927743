import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// A subscriber that passes the signals of a Streams publisher to a Combine subscriber.
@usableFromInline
struct ForwardingSubscriber<Downstream: CombineFramework.Subscriber>: Streams.Subscriber,
  @unchecked Sendable
where Downstream.Input: Sendable {
  // Unchecked is correct: Combine does not mark its subscribers. Streams sends one signal at a
  // time, each after the previous one has returned (contract C-1). Combine requires the same of a
  // publisher.
  @usableFromInline let downstream: Downstream

  /// The subscriber's context, if only erased types are between it and this.
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

/// A Combine subscription that passes requests to a Streams subscription.
///
/// It is a class, since Combine identifies subscriptions by object identity.
@usableFromInline
final class ForwardingSubscription: CombineFramework.Subscription,
  CustomStringConvertible
{
  @usableFromInline let upstream: any Streams.Subscription

  @inlinable init(_ upstream: any Streams.Subscription) {
    self.upstream = upstream
  }

  /// The name that Combine's `print()` shows for a subscription of Streams.
  @inlinable var description: String { "Streams" }

  @inlinable func request(_ demand: CombineFramework.Subscribers.Demand) {
    upstream.request(Streams.Subscribers.Demand(demand))
  }

  @inlinable func cancel() {
    upstream.cancel()
  }
}

/// A Combine subscriber that passes on a subscription context.
@usableFromInline protocol ContextCarrier {
  var context: SubscriptionContext { get }
}
