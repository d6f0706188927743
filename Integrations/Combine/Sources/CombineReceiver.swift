import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// A Combine subscriber that forwards to a `ContractSubscriber`.
///
/// Closures that are created where the subscriber's type is known are specialized for that type. A
/// generic class that conforms to Combine's protocol would do all its work unspecialized.
@usableFromInline
final class CombineReceiver<Input: Sendable, Failure: Error>:
  CombineFramework.Subscriber, ContextCarrier
{
  @usableFromInline let context: SubscriptionContext
  @usableFromInline let receiveSubscription: (any CombineFramework.Subscription) -> Void
  @usableFromInline let receiveInput: (Input) -> CombineFramework.Subscribers.Demand
  @usableFromInline let receiveCompletion:
    (CombineFramework.Subscribers.Completion<Failure>) -> Void

  @inlinable init<Downstream: Streams.Subscriber>(_ subscriber: ContractSubscriber<Downstream>)
  where Downstream.Input == Input, Downstream.Failure == Failure {
    context = subscriber.context
    receiveSubscription = { subscriber.receive(subscription: $0) }
    receiveInput = { subscriber.receive($0) }
    receiveCompletion = { subscriber.receive(completion: $0) }
  }

  @inlinable func receive(subscription: any CombineFramework.Subscription) {
    receiveSubscription(subscription)
  }

  @inlinable func receive(_ input: Input) -> CombineFramework.Subscribers.Demand {
    receiveInput(input)
  }

  @inlinable func receive(completion: CombineFramework.Subscribers.Completion<Failure>) {
    receiveCompletion(completion)
  }
}
