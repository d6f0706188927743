/// A publisher without values, which ends at once or never.
///
/// ```marble
/// Empty<String, Never>()
/// result: |
/// ```
///
/// - Demand: None is needed.
/// - Errors: None.
/// - Completion: At once, or never.
/// - Cancellation: There is nothing to stop.
/// - Delivery: On the subscribing thread.
/// - Complexity: O(1), without an allocation.
@frozen public struct Empty<Output: Sendable, Failure: Error>: Publisher {
  public let completeImmediately: Bool

  /// - Parameter completeImmediately: Whether it finishes at once. If false, it stays open until a
  ///   cancel.
  @inlinable public init(completeImmediately: Bool = true) {
    self.completeImmediately = completeImmediately
  }

  /// Creates the publisher with explicit types, for code that cannot infer them.
  @inlinable public init(
    completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type
  ) {
    self.completeImmediately = completeImmediately
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    if completeImmediately {
      BareEnd.send(.finished, to: subscriber)
    } else {
      subscriber.receive(subscription: EmptySubscription())
    }
  }
}

extension Empty: BarePublisher {
  @usableFromInline var endsAtOnce: Bool { completeImmediately }

  /// Returns this publisher with its type hidden.
  @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher(endsAtOnce: completeImmediately) { receive(subscriber: $0) }
  }
}
