/// A publisher that fails at once, without waiting for demand.
///
/// ```marble
/// Fail(outputType: String.self, failure: TestError.first)
/// result: #
/// ```
///
/// - Demand: None is needed.
/// - Errors: The error that it was created with.
/// - Completion: Never. It always fails.
/// - Cancellation: There is nothing to stop.
/// - Delivery: On the subscribing thread.
/// - Complexity: O(1), without an allocation.
@frozen public struct Fail<Output: Sendable, Failure: Error>: Publisher {
  public let error: Failure

  @inlinable public init(error: Failure) {
    self.error = error
  }

  /// Creates the publisher with an explicit output type, for code that cannot infer it.
  @inlinable public init(outputType: Output.Type, failure: Failure) {
    error = failure
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    BareEnd.send(.failure(error), to: subscriber)
  }
}

extension Fail: BarePublisher {
  @usableFromInline var endsAtOnce: Bool { true }

  /// Returns this publisher with its type hidden.
  @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher(endsAtOnce: true) { receive(subscriber: $0) }
  }
}
