/// A publisher that is made anew for each subscriber, of what that subscriber's context holds.
///
/// ```marble
/// DeferredInContext { context in Just(context[DepthKey.self] == 0 ? "a" : "b") }
/// result: (a|)
/// ```
///
/// - Demand: As the publisher that is made.
/// - Errors: As the publisher that is made.
/// - Completion: As the publisher that is made.
/// - Cancellation: As the publisher that is made.
/// - Delivery: As the publisher that is made.
/// - Complexity: One call of the closure for each subscription.
@frozen public struct DeferredInContext<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  public let createPublisher: @Sendable (SubscriptionContext) -> DeferredPublisher

  /// - Parameter createPublisher: Runs once for each subscription, on the subscribing thread.
  @inlinable public init(
    createPublisher: @escaping @Sendable (SubscriptionContext) -> DeferredPublisher
  ) {
    self.createPublisher = createPublisher
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    createPublisher(subscriber.context).receive(subscriber: subscriber)
  }
}
