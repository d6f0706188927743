extension Publisher where Output: Equatable {
  /// Publishes whether one of the values equals a given one.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// contains(2)
  /// result: -----(t|)
  /// t = true
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With true at the first such value, which also cancels the upstream. With false
  ///   when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: The value to look for.
  @inlinable public func contains(_ output: Output) -> Publishers.Contains<Self> {
    contains { $0 == output }
  }
}

extension Publishers {
  /// A publisher of one Boolean value: whether the upstream sent a given value.
  public typealias Contains<Upstream: Publisher> = ContainsWhere<Upstream, Upstream.Failure>
  where Upstream.Output: Equatable
}
