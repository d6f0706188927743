extension Publisher {
  /// Counts the values, and passes the number on when the publisher finishes.
  ///
  /// ```marble
  /// source: --a--b--c--|
  /// count()
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the number, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  @inlinable public func count() -> Publishers.Count<Self> {
    reduce(0) { count, _ in count + 1 }
  }
}

extension Publishers {
  /// A publisher of the number of values.
  public typealias Count<Upstream: Publisher> = Reduce<Upstream, Int>
}
