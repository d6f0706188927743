extension Publisher {
  /// Goes on with another publisher when this one fails.
  ///
  /// ```marble
  /// source: -1--#
  /// other:      --8-9|
  /// catch { _ in other }
  /// result: -1----8-9|
  /// ```
  ///
  /// - Demand: The downstream's; the replacement is asked for what the upstream left unserved.
  /// - Errors: The replacement's failure.
  /// - Completion: When the upstream or the replacement finishes.
  /// - Cancellation: Cancels whichever runs; one from inside the handler is final, too.
  /// - Delivery: Where whichever runs delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter handler: Makes the replacement, once, where the publisher delivers.
  @inlinable public func `catch`<Replacement: Publisher>(
    _ handler: @escaping @Sendable (Failure) -> Replacement
  ) -> Publishers.Catch<Self, Replacement> where Replacement.Output == Output {
    Publishers.Catch<Self, Replacement>(upstream: self, handler: handler) { $0 }
  }
}

extension Publishers {
  /// A publisher that goes on with another one when its upstream fails.
  public typealias Catch<Upstream: Publisher, Replacement: Publisher> =
    TryCatch<Upstream, Replacement, Replacement.Failure>
  where Replacement.Output == Upstream.Output
}
