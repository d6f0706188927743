import Streams

// `RetryOn` with an `Equatable` failure takes an error. A verb's failure is `any Error`, which has no
// equality, so here the error's kind takes its place.

extension Publisher where Failure == any Error {
  /// Subscribes again when this publisher fails with a ``RESTError`` of one kind, each time after
  /// another publisher has completed.
  ///
  /// ```swift
  /// api.get(endpoint: "orders").validateStatus()
  ///   .retryOn(.unauthorized, retries: 1, chainedPublisher: refresh)
  /// ```
  ///
  /// Demand, cancellation and delivery are those of `retryOn(_:retries:chainedPublisher:)` with a
  /// closure.
  ///
  /// - Parameters:
  ///   - kind: The kind of failure to retry on, such as `.unauthorized` or `.status(423)`. A verb gives any
  ///     status as a response: `validateStatus()` turns it into a failure first.
  ///   - retries: How many times at most, beyond the first; none if it is not positive.
  ///   - chainedPublisher: Runs before each retry. Its failure becomes the stream's.
  public func retryOn<Chained: Publisher>(
    _ kind: RESTError.Kind, retries: Int, chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Chained> where Chained.Failure == any Error {
    retryOn(
      { ($0 as? RESTError)?.kind == kind }, retries: retries, chainedPublisher: chainedPublisher)
  }

  /// Subscribes again when this publisher fails with a ``RESTError`` of one kind, each time after a
  /// publisher that cannot fail has completed.
  ///
  /// - Parameters:
  ///   - kind: The kind of failure to retry on.
  ///   - retries: How many times at most, beyond the first; none if it is not positive.
  ///   - chainedPublisher: Runs before each retry.
  public func retryOn<Chained: Publisher>(
    _ kind: RESTError.Kind, retries: Int, chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Publishers.SetFailureType<Chained, any Error>>
  where Chained.Failure == Never {
    retryOn(
      { ($0 as? RESTError)?.kind == kind }, retries: retries, chainedPublisher: chainedPublisher)
  }
}

extension Publisher where Failure == RESTError {
  /// Subscribes again when this publisher fails with an error of one kind, each time after another
  /// publisher has completed.
  ///
  /// - Parameters:
  ///   - kind: The kind of failure to retry on.
  ///   - retries: How many times at most, beyond the first; none if it is not positive.
  ///   - chainedPublisher: Runs before each retry. Its failure becomes the stream's.
  public func retryOn<Chained: Publisher>(
    _ kind: RESTError.Kind, retries: Int, chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Chained> where Chained.Failure == RESTError {
    retryOn({ $0.kind == kind }, retries: retries, chainedPublisher: chainedPublisher)
  }
}
