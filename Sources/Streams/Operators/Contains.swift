extension Publisher where Output: Equatable {
  /// Tells whether one of the values equals a given one.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// contains(2)
  /// result: -----(t|)
  /// t = true
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With true as soon as there is such a value, whereupon the upstream is cancelled;
  ///   with false when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: What to look for.
  @inlinable public func contains(_ output: Output) -> Publishers.Contains<Self> {
    contains { $0 == output }
  }
}

extension Publishers {
  /// A publisher of whether a value was among the upstream's.
  public typealias Contains<Upstream: Publisher> = ContainsWhere<Upstream, Upstream.Failure>
  where Upstream.Output: Equatable
}
