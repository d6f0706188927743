extension Publisher {
  /// Passes the last value on when the publisher finishes.
  ///
  /// A failure discards it.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// last()
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value; holds one.
  @inlinable public func last() -> Publishers.Last<Self> {
    last { _ in true }
  }
}

extension Publishers {
  /// A publisher of the last value.
  public typealias Last<Upstream: Publisher> = LastWhere<Upstream, Upstream.Failure>
}
