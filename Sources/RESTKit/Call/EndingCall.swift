import Streams

/// A publisher that ends a call when it ends or is cancelled.
///
/// The maker of the call uses it. It does the work of `handleEvents` with one object for each subscription.
struct EndingCall<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let upstream: AnyPublisher<Output, any Error>
  let call: LogicalCall
  /// The context for the upstream.
  let context: SubscriptionContext

  func receive(subscriber: some Subscriber<Output, any Error>) {
    upstream.receive(
      subscriber: CallEndSubscriber(downstream: subscriber, call: call, context: context))
  }
}

private struct CallEndSubscriber<Downstream: Subscriber>: Subscriber
where Downstream.Failure == any Error {
  typealias Input = Downstream.Input
  typealias Failure = any Error

  let downstream: Downstream
  let call: LogicalCall
  let context: SubscriptionContext

  func receive(subscription: any Subscription) {
    downstream.receive(subscription: CallEndSubscription(upstream: subscription, call: call))
  }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  func receive(completion: Subscribers.Completion<any Error>) {
    call.end(with: completion)
    downstream.receive(completion: completion)
  }
}

/// The subscription to a pipeline whose cancel ends its call.
private final class CallEndSubscription: Subscription {
  private let upstream: any Subscription
  private let call: LogicalCall

  init(upstream: any Subscription, call: LogicalCall) {
    self.upstream = upstream
    self.call = call
  }

  func request(_ demand: Subscribers.Demand) { upstream.request(demand) }

  func cancel() {
    // Only the first end of a call counts.
    call.end(with: nil)
    upstream.cancel()
  }
}
