extension Publisher {
  /// Sends the latest values of this publisher and another whenever either sends one.
  ///
  /// Nothing is sent before each publisher has sent a value. All publishers are subscribed, in
  /// order, before any of them gets demand. If the upstreams deliver synchronously, the first one
  /// therefore runs to its end first. If that end never comes, the other one never starts, whatever
  /// the demand.
  ///
  /// ```marble
  /// source: --1----3--|
  /// other:  ---4-5------|
  /// combineLatest(other)
  /// result: ---x-y-z----|
  /// x = (1, 4)
  /// y = (1, 5)
  /// z = (3, 5)
  /// ```
  ///
  /// With limited demand, the latest value of each side counts:
  ///
  /// ```marble
  /// source:        -12-3-------|
  /// source demand: *
  /// other:         ---4--5---6-|
  /// other demand:  *
  /// combineLatest(other)
  /// demand:        1-------2
  /// result:        ---x----y-z-|
  /// x = (2, 4)
  /// y = (3, 5)
  /// z = (3, 6)
  /// ```
  ///
  /// - Demand: Requests everything from each upstream, after the downstream's first request. Of the
  ///   results beyond the demand, only the latest waits.
  /// - Errors: The first failure of an upstream, at once. Waiting values are dropped.
  /// - Completion: When all upstreams have finished, or when one has finished without a value. The
  ///   others are then cancelled.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: On the thread of the upstream that sent the last part, one result at a time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter other: A publisher with the same failure.
  @inlinable public func combineLatest<Other: Publisher>(
    _ other: Other
  ) -> Publishers.CombineLatest<Self, Other> where Other.Failure == Failure {
    Publishers.CombineLatest(self, other)
  }

  /// Combines the latest values into one whenever a publisher sends a value.
  ///
  /// As ``combineLatest(_:)``, with a transform.
  ///
  /// ```marble
  /// source: --1----3--|
  /// other:  ---4-5------|
  /// combineLatest(other, +)
  /// result: ---5-6-8----|
  /// ```
  ///
  /// - Parameters:
  ///   - other: A publisher with the same failure.
  ///   - transform: A closure that makes one value from the parts. It runs without a lock.
  @inlinable public func combineLatest<Other: Publisher, NewOutput: Sendable>(
    _ other: Other,
    _ transform: @escaping @Sendable (Output, Other.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.CombineLatest<Self, Other>, NewOutput>
  where Other.Failure == Failure {
    combineLatest(other).map { transform($0.0, $0.1) }
  }
}

extension Publishers {
  /// A publisher of the latest values of two publishers, sent whenever either sends one.
  @frozen public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
  where B.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    @inlinable public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      typealias Slots = PairSlots<LatestCell<A.Output>, LatestCell<B.Output>>
      let fanIn = FanIn<Slots, Downstream>(for: subscriber)
      fanIn.attach(a) { $0.first.put($1) }
      fanIn.attach(b) { $0.second.put($1) }
      fanIn.start()
    }
  }
}

extension Publishers.CombineLatest: Equatable
where A: Equatable, B: Equatable {}
