extension Publisher {
  /// Picks three properties of each value, as a tuple.
  ///
  /// ```marble
  /// source: --a--b--|
  /// map(\.first, \.second, \.third)
  /// result: --x--y--|
  /// a = Triple(first: 1, second: 2, third: 3)
  /// b = Triple(first: 4, second: 5, third: 6)
  /// x = (1, 2, 3)
  /// y = (4, 5, 6)
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
  ///   - keyPath2: The tuple's third part.
  @inlinable public func map<Value0: Sendable, Value1: Sendable, Value2: Sendable>(
    _ keyPath0: KeyPath<Output, Value0> & Sendable, _ keyPath1: KeyPath<Output, Value1> & Sendable,
    _ keyPath2: KeyPath<Output, Value2> & Sendable
  ) -> Publishers.MapKeyPath3<Self, Value0, Value1, Value2> {
    map { ($0[keyPath: keyPath0], $0[keyPath: keyPath1], $0[keyPath: keyPath2]) }
  }
}

extension Publishers {
  /// A publisher of three properties of each value.
  public typealias MapKeyPath3<
    Upstream: Publisher, Value0: Sendable, Value1: Sendable, Value2: Sendable
  > = Map<Upstream, (Value0, Value1, Value2)>
}
