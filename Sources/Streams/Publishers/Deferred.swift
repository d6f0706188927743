/// A publisher that is made anew for each subscriber.
///
/// ```marble
/// Deferred { Just("a") }
/// result: (a|)
/// ```
///
/// - Demand: As the publisher that is made.
/// - Errors: As the publisher that is made.
/// - Completion: As the publisher that is made.
/// - Cancellation: As the publisher that is made.
/// - Delivery: As the publisher that is made.
/// - Complexity: One call of the closure for each subscription.
@frozen public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  public let createPublisher: @Sendable () -> DeferredPublisher

  /// - Parameter createPublisher: Runs once for each subscription, on the subscribing thread.
  @inlinable public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    createPublisher().receive(subscriber: subscriber)
  }
}
