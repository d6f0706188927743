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
  @inlinable
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}

extension Publishers {
  /// A publisher that subscribes to its upstream again when it fails.
  ///
  /// A new attempt is asked for what the earlier ones left unserved. The stack does not grow with
  /// the number of attempts.
  @frozen
  public struct Retry<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let retries: Int

    @inlinable
    public init(upstream: Upstream, retries: Int) {
      self.upstream = upstream
      self.retries = retries
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      RetryDriver(
        upstream: upstream, chained: nil as Empty<Never, Failure>?, retries: retries,
        relay: .start(for: subscriber), isRetryable: { _ in true }
      ).step()
    }
  }
}
