extension Publisher {
  /// Drops all values, and passes on how the publisher ends.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// ignoreOutput()
  /// result: -----------|
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the end needs no demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  @inlinable public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    last { _ in false }
  }
}

extension Publishers {
  /// A publisher of an end without values.
  public typealias IgnoreOutput<Upstream: Publisher> = LastWhere<Upstream, Upstream.Failure>
}
