extension Publisher {
  /// Subscribes again when this publisher fails.
  ///
  /// Values that were delivered before the failure are delivered again. The stack does not grow
  /// with the number of attempts.
  ///
  /// ```marble
  /// source:            -1--#
  /// source subscribed: ^---^
  /// retry(1)
  /// result:            -1---1--#
  /// ```
  ///
  /// - Demand: The downstream's; each attempt is asked for what those before it left unserved.
  /// - Errors: The failure of the last attempt.
  /// - Completion: When an attempt finishes.
  /// - Cancellation: Cancels the attempt that runs; there is no further one.
  /// - Delivery: Where the attempt delivers.
  /// - Complexity: O(1) for each value and each attempt.
  ///
  /// - Parameter retries: How many times at most, beyond the first; none if it is not positive.
  @inlinable public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.RetryOn(
      upstream: self, chained: nil, retries: retries, isRetryable: { _ in true })
  }
}

extension Publishers {
  /// A publisher that subscribes to its upstream again when it fails.
  public typealias Retry<Upstream: Publisher> =
    RetryOn<Upstream, Empty<Never, Upstream.Failure>>
}
