extension Publisher {
  /// Pairs each value of this publisher with the value at the same position of another.
  ///
  /// A value waits for its partners. All publishers are subscribed, in order, before any of them
  /// gets demand.
  ///
  /// ```marble
  /// source: --1--2--3---|
  /// other:  ---4----5--6----|
  /// zip(other)
  /// result: ---x----y--z|
  /// x = (1, 4)
  /// y = (2, 5)
  /// z = (3, 6)
  /// ```
  ///
  /// With limited demand, no upstream runs ahead of the other by more than the demand:
  ///
  /// ```marble
  /// source:        -12------|
  /// source demand: 2
  /// other:         ----4---5-|
  /// other demand:  2
  /// zip(other)
  /// demand:        2
  /// result:        ----x---y|
  /// x = (1, 4)
  /// y = (2, 5)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand to each upstream. Values without a partner wait.
  ///   Limited demand limits their number, and unlimited demand does not.
  /// - Errors: The first failure of an upstream, at once. Waiting values are dropped.
  /// - Completion: When an upstream has finished and its last value is used. The others are then
  ///   cancelled.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: On the thread of the upstream that sent the last part, one result at a time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter other: A publisher with the same failure.
  @inlinable public func zip<Other: Publisher>(
    _ other: Other
  ) -> Publishers.Zip<Self, Other> where Other.Failure == Failure {
    Publishers.Zip(self, other)
  }

  /// Combines the values at the same position into one.
  ///
  /// As ``zip(_:)``, with a transform.
  ///
  /// ```marble
  /// source: --1--2--3---|
  /// other:  ---4----5--6----|
  /// zip(other, +)
  /// result: ---5----7--9|
  /// ```
  ///
  /// - Parameters:
  ///   - other: A publisher with the same failure.
  ///   - transform: A closure that makes one value from the parts. It runs without a lock.
  @inlinable public func zip<Other: Publisher, NewOutput: Sendable>(
    _ other: Other,
    _ transform: @escaping @Sendable (Output, Other.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.Zip<Self, Other>, NewOutput> where Other.Failure == Failure {
    zip(other).map { transform($0.0, $0.1) }
  }
}

extension Publishers {
  /// A publisher of the values of two publishers, paired by position.
  @frozen public struct Zip<A: Publisher, B: Publisher>: Publisher
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
      typealias Slots = PairSlots<QueueCell<A.Output>, QueueCell<B.Output>>
      let fanIn = FanIn<Slots, Downstream>(for: subscriber)
      fanIn.attach(a) { $0.first.put($1) }
      fanIn.attach(b) { $0.second.put($1) }
      fanIn.start()
    }
  }
}

extension Publishers.Zip: Equatable
where A: Equatable, B: Equatable {}
