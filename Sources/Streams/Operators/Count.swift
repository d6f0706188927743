extension Publisher {
  /// Counts the values and sends the number when the publisher finishes.
  ///
  /// ```marble
  /// source: --a--b--c--|
  /// count()
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the number, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value.
  @inlinable public func count() -> Publishers.Count<Self> {
    reduce(0) { count, _ in count + 1 }
  }
}

extension Publishers {
  /// A publisher of the number of values.
  public typealias Count<Upstream: Publisher> = Reduce<Upstream, Int>
}
