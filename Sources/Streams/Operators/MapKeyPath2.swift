extension Publisher {
  /// Picks two properties of each value, as a tuple.
  ///
  /// ```marble
  /// source: --a--b--|
  /// map(\.first, \.second)
  /// result: --x--y--|
  /// a = Pair(first: 1, second: 2)
  /// b = Pair(first: 3, second: 4)
  /// x = (1, 2)
  /// y = (3, 4)
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - keyPath0: The tuple's first part.
  ///   - keyPath1: The tuple's second part.
  @inlinable public func map<Value0: Sendable, Value1: Sendable>(
    _ keyPath0: KeyPath<Output, Value0> & Sendable, _ keyPath1: KeyPath<Output, Value1> & Sendable
  ) -> Publishers.MapKeyPath2<Self, Value0, Value1> {
    map { ($0[keyPath: keyPath0], $0[keyPath: keyPath1]) }
  }
}

extension Publishers {
  /// A publisher of two properties of each value.
  public typealias MapKeyPath2<Upstream: Publisher, Value0: Sendable, Value1: Sendable> =
    Map<Upstream, (Value0, Value1)>
}
