extension Publisher {
  /// Continues with another publisher when this one fails.
  ///
  /// ```marble
  /// source: -1--#
  /// other:      --8-9|
  /// catch { _ in other }
  /// result: -1----8-9|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. The replacement gets the part that the upstream
  ///   left unserved.
  /// - Errors: The replacement's failure.
  /// - Completion: When the upstream or the replacement finishes.
  /// - Cancellation: Cancels the publisher that runs. A cancel from inside the handler is final,
  ///   too.
  /// - Delivery: On the thread of the publisher that runs.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter handler: A closure that makes the replacement. It runs once, on the upstream's
  ///   thread.
  @inlinable public func `catch`<Replacement: Publisher>(
    _ handler: @escaping @Sendable (Failure) -> Replacement
  ) -> Publishers.Catch<Self, Replacement> where Replacement.Output == Output {
    Publishers.Catch<Self, Replacement>(upstream: self, handler: handler) { $0 }
  }
}

extension Publishers {
  /// A publisher that continues with another one when its upstream fails.
  public typealias Catch<Upstream: Publisher, Replacement: Publisher> =
    TryCatch<Upstream, Replacement, Replacement.Failure>
  where Replacement.Output == Upstream.Output
}
