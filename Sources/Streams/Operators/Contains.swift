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
  @inlinable
  public func contains(_ output: Output) -> Publishers.Contains<Self> {
    Publishers.Contains(upstream: self, output: output)
  }
}

extension Publishers {
  /// A publisher of whether a value was among the upstream's.
  @frozen
  public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
    public typealias Output = Bool
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let output: Upstream.Output

    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let output = output
      let fold = SearchFold<Upstream.Output, Failure>(wanted: true, predicate: { $0 == output })
      upstream.receive(subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}
