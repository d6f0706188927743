extension Publisher {
  /// Passes the first value on, and finishes.
  ///
  /// ```marble
  /// source:            --1--2--3--|
  /// source subscribed: ^-!
  /// first()
  /// result:            --(1|)
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, without waiting for the upstream, which is cancelled; or when
  ///   the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  @inlinable
  public func first() -> Publishers.First<Self> {
    Publishers.First(upstream: self)
  }
}

extension Publishers {
  /// A publisher of the first value.
  @frozen
  public struct First<Upstream: Publisher>: Publisher {
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
      let stage = OutputStage<Output, Failure>(range: 0..<1)
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}
