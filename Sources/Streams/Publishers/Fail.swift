/// A publisher that fails at once, without waiting for demand.
@frozen
public struct Fail<Output: Sendable, Failure: Error>: Publisher {
  public let error: Failure

  @inlinable
  public init(error: Failure) {
    self.error = error
  }

  /// Spells out the output type, for where it cannot be inferred.
  @inlinable
  public init(outputType: Output.Type, failure: Failure) {
    error = failure
  }

  @inlinable
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    subscriber.receive(subscription: EmptySubscription())
    subscriber.receive(completion: .failure(error))
  }
}
