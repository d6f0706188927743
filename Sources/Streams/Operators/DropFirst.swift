extension Publisher {
  /// Drops the first values.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// dropFirst(2)
  /// result: --------3--|
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter count: How many values; a negative number counts as zero.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    Publishers.Drop(upstream: self, count: count)
  }
}

extension Publishers {
  /// A publisher without the first values of its upstream.
  @frozen
  public struct Drop<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let count: Int

    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let stage = OutputStage<Output, Failure>(range: Swift.max(count, 0)..<Int.max)
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}
