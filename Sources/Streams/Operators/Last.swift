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
  @inlinable
  public func last() -> Publishers.Last<Self> {
    Publishers.Last(upstream: self)
  }
}

extension Publishers {
  /// A publisher of the last value.
  @frozen
  public struct Last<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fold = LastFold<Output, Failure>(predicate: { _ in true })
      upstream.receive(subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}
