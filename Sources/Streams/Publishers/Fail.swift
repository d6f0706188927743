/// A publisher that fails at once, without waiting for demand.
///
/// ```marble
/// Fail(outputType: String.self, failure: TestError.first)
/// result: #
/// ```
///
/// - Demand: None is needed.
/// - Errors: The one it was made with.
/// - Completion: Never other than by failing.
/// - Cancellation: There is nothing to stop.
/// - Delivery: On the subscribing thread.
/// - Complexity: O(1), without an allocation.
@frozen public struct Fail<Output: Sendable, Failure: Error>: Publisher {
  public let error: Failure

  @inlinable public init(error: Failure) {
    self.error = error
  }

  /// Spells out the output type, for where it cannot be inferred.
  @inlinable public init(outputType: Output.Type, failure: Failure) {
    error = failure
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    BareEnd.send(.failure(error), to: subscriber)
  }
}
