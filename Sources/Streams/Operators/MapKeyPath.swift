extension Publisher {
  /// Picks a property of each value.
  ///
  /// ```marble
  /// source: --a--b--|
  /// map(\.count)
  /// result: --1--3--|
  /// a = "x"
  /// b = "xyz"
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter keyPath: The property.
  @inlinable public func map<Value: Sendable>(
    _ keyPath: KeyPath<Output, Value> & Sendable
  ) -> Publishers.MapKeyPath<Self, Value> {
    map { $0[keyPath: keyPath] }
  }
}

extension Publishers {
  /// A publisher of one property of each value.
  public typealias MapKeyPath<Upstream: Publisher, Output: Sendable> = Map<Upstream, Output>
}
