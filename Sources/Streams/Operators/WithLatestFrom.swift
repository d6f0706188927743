extension Publisher {
  /// Sends each value together with the latest value of another publisher.
  ///
  /// The other publisher is subscribed first. Values that arrive before its first value are
  /// dropped.
  ///
  /// ```marble
  /// source: -1--2-----3--4|
  /// other:  --a-----b---|
  /// withLatestFrom(other)
  /// result: ----x-----y--z|
  /// x = (2, "a")
  /// y = (3, "b")
  /// z = (4, "b")
  /// ```
  ///
  /// - Demand: Requests everything from the other publisher. Requests everything from this one if
  ///   the downstream requests everything, otherwise one value at a time.
  /// - Errors: The first failure of either publisher, at once.
  /// - Completion: When this publisher finishes, or when the other one finishes without a value.
  ///   The publisher that still runs is cancelled.
  /// - Cancellation: Cancels both.
  /// - Delivery: On this publisher's thread, one value at a time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter other: A publisher with the same failure.
  @inlinable public func withLatestFrom<Other: Publisher>(
    _ other: Other
  ) -> Publishers.WithLatestFrom<Self, Other> where Other.Failure == Failure {
    Publishers.WithLatestFrom(upstream: self, other: other)
  }

  /// Combines each value with the latest value of another publisher.
  ///
  /// As ``withLatestFrom(_:)``, with a transform.
  ///
  /// ```marble
  /// source: -1--2-----3--4|
  /// other:  --1-----5---|
  /// withLatestFrom(other, +)
  /// result: ----3-----8--9|
  /// ```
  ///
  /// - Parameters:
  ///   - other: A publisher with the same failure.
  ///   - transform: A closure that makes one value from two. It runs without a lock.
  @inlinable public func withLatestFrom<Other: Publisher, NewOutput: Sendable>(
    _ other: Other, _ transform: @escaping @Sendable (Output, Other.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.WithLatestFrom<Self, Other>, NewOutput>
  where Other.Failure == Failure {
    withLatestFrom(other).map { transform($0.0, $0.1) }
  }
}

extension Publishers {
  /// A publisher of its upstream's values, each with the latest value of another publisher.
  @frozen public struct WithLatestFrom<Upstream: Publisher, Other: Publisher>: Publisher
  where Other.Failure == Upstream.Failure {
    public typealias Output = (Upstream.Output, Other.Output)
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let other: Other

    @inlinable public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fanIn = FanIn<SamplingSlots<Upstream.Output, Other.Output>, Downstream>(
        for: subscriber)
      fanIn.attach(other) { $0.put(sample: $1) }
      fanIn.attach(upstream) { $0.put($1) }
      fanIn.start()
    }
  }
}
