/// A publisher that a closure creates for each subscriber.
///
/// ```marble
/// Deferred { Just("a") }
/// result: (a|)
/// ```
///
/// - Demand: As the created publisher.
/// - Errors: As the created publisher.
/// - Completion: As the created publisher.
/// - Cancellation: As the created publisher.
/// - Delivery: As the created publisher.
/// - Complexity: One call of the closure for each subscription.
@frozen public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  public let createPublisher: @Sendable () -> DeferredPublisher

  /// - Parameter createPublisher: A closure that runs once for each subscription, on the
  ///   subscribing thread.
  @inlinable public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    createPublisher().receive(subscriber: subscriber)
  }
}
