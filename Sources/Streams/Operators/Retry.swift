extension Publisher {
  /// Subscribes again when this publisher fails.
  ///
  /// Values delivered before the failure are delivered again. The stack does not grow with the
  /// number of attempts.
  ///
  /// ```marble
  /// source:            -1--#
  /// source subscribed: ^---^
  /// retry(1)
  /// result:            -1---1--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. Each attempt gets the part that the previous ones
  ///   left unserved.
  /// - Errors: The failure of the last attempt.
  /// - Completion: When an attempt finishes.
  /// - Cancellation: Cancels the attempt that runs. No further attempt starts.
  /// - Delivery: On the thread of the attempt.
  /// - Complexity: O(1) for each value and each attempt.
  ///
  /// - Parameter retries: The maximum number of retries after the first attempt. A number that is
  ///   not positive means none.
  @inlinable public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(
      Publishers.RetryOn(
        upstream: self, chained: nil, retries: retries, isRetryable: { _ in true }))
  }
}

extension Publishers {
  /// A publisher that subscribes to its upstream again when the upstream fails.
  @frozen public struct Retry<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: RetryOn<Upstream, Empty<Never, Upstream.Failure>>

    @inlinable init(_ base: RetryOn<Upstream, Empty<Never, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }
}
