import Streams

// `RetryOn` with an `Equatable` failure takes an error. A verb's failure is `any Error`, which is
// not `Equatable`. Here the error's kind replaces it.

extension Publisher where Failure == any Error {
  /// Subscribes again when this publisher fails with a ``RESTError`` of one kind, each time after
  /// another publisher completes.
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
  ///   - kind: The kind of failure to retry, such as `.unauthorized` or `.status(423)`. A verb
  ///     delivers any status as a response; `validateStatus()` makes it a failure first.
  ///   - retries: The maximum number of repetitions. There are none if it is not positive.
  ///   - chainedPublisher: The publisher that runs before each repetition. Its failure becomes the
  ///     stream's.
  public func retryOn<Chained: Publisher>(
    _ kind: RESTError.Kind, retries: Int, chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Chained> where Chained.Failure == any Error {
    retryOn(
      { ($0 as? RESTError)?.kind == kind }, retries: retries, chainedPublisher: chainedPublisher)
  }

  /// Subscribes again when this publisher fails with a ``RESTError`` of one kind, each time after a
  /// publisher that cannot fail completes.
  ///
  /// - Parameters:
  ///   - kind: The kind of failure to retry.
  ///   - retries: The maximum number of repetitions. There are none if it is not positive.
  ///   - chainedPublisher: The publisher that runs before each repetition.
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
  /// publisher completes.
  ///
  /// - Parameters:
  ///   - kind: The kind of failure to retry.
  ///   - retries: The maximum number of repetitions. There are none if it is not positive.
  ///   - chainedPublisher: The publisher that runs before each repetition. Its failure becomes the
  ///     stream's.
  public func retryOn<Chained: Publisher>(
    _ kind: RESTError.Kind, retries: Int, chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Chained> where Chained.Failure == RESTError {
    retryOn({ $0.kind == kind }, retries: retries, chainedPublisher: chainedPublisher)
  }
}
