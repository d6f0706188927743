extension Publisher {
  /// Sends one property of each value.
  ///
  /// ```marble
  /// source: --a--b--|
  /// map(\.count)
  /// result: --1--3--|
  /// a = "x"
  /// b = "xyz"
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter keyPath: The key path of the property.
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

extension Publisher {
  /// Sends two properties of each value as a tuple.
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
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - keyPath0: The key path of the tuple's first part.
  ///   - keyPath1: The key path of the tuple's second part.
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

extension Publisher {
  /// Sends three properties of each value as a tuple.
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
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - keyPath0: The key path of the tuple's first part.
  ///   - keyPath1: The key path of the tuple's second part.
  ///   - keyPath2: The key path of the tuple's third part.
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
