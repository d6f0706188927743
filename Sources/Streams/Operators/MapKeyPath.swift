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
  @inlinable
  public func map<Value: Sendable>(
    _ keyPath: KeyPath<Output, Value> & Sendable
  ) -> Publishers.MapKeyPath<Self, Value> {
    Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
  }
}

extension Publishers {
  /// A publisher of one property of each value.
  @frozen
  public struct MapKeyPath<Upstream: Publisher, Output: Sendable>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let keyPath: KeyPath<Upstream.Output, Output> & Sendable

    @inlinable
    init(upstream: Upstream, keyPath: KeyPath<Upstream.Output, Output> & Sendable) {
      self.upstream = upstream
      self.keyPath = keyPath
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.map { [keyPath] in $0[keyPath: keyPath] }.receive(subscriber: subscriber)
    }
  }
}
