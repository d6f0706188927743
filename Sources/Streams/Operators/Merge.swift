extension Publisher {
  /// Passes on the values of this publisher and of another as they come.
  ///
  /// All are subscribed, in order, before any is asked for values.
  ///
  /// ```marble
  /// source: --1-----3--|
  /// other:  ----2------4--|
  /// merge(with: other)
  /// result: --1-2---3--4--|
  /// ```
  ///
  /// - Demand: Everything of each upstream where the downstream asks for everything; one value of
  ///   each at a time otherwise, so that not more than one of each waits.
  /// - Errors: The first failure of an upstream, at once; values that wait are dropped.
  /// - Completion: When all upstreams have finished.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: Where the upstreams deliver, one at a time; values of one upstream keep their
  ///   order.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter other: A publisher with the same output and failure.
  @inlinable
  public func merge<Other: Publisher>(
    with other: Other
  ) -> Publishers.Merge<Self, Other>
  where
    Other.Output == Output, Other.Failure == Failure
  {
    Publishers.Merge(self, other)
  }
}

extension Publishers {
  /// A publisher of the values of two publishers, as they come.
  @frozen
  public struct Merge<A: Publisher, B: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fanIn = FanIn<PassingSlot<Output>, Downstream>(for: subscriber) { $0 }
      fanIn.attach(a) { $0.put($1) }
      fanIn.attach(b) { $0.put($1) }
      fanIn.start()
    }
  }
}

extension Publishers.Merge: Equatable
where A: Equatable, B: Equatable {}
