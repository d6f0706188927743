extension Publisher {
  /// Passes on the values of this publisher and of two others as they come.
  ///
  /// As ``merge(with:)``, for three publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// merge(with: b, c)
  /// result: --1-2-3--|
  /// ```
  ///
  /// - Demand: Everything of each upstream where the downstream asks for everything; one value of
  ///   each at a time otherwise.
  /// - Errors: The first failure of an upstream, at once; values that wait are dropped.
  /// - Completion: When all upstreams have finished.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: Where the upstreams deliver, one at a time; values of one upstream keep their
  ///   order.
  /// - Complexity: O(1) for each value.
  @inlinable
  public func merge<B: Publisher, C: Publisher>(
    with b: B, _ c: C
  ) -> Publishers.Merge3<Self, B, C>
  where
    B.Output == Output, C.Output == Output, B.Failure == Failure, C.Failure == Failure
  {
    Publishers.Merge3(self, b, c)
  }
}

extension Publishers {
  /// A publisher of the values of three publishers, as they come.
  @frozen
  public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where
    B.Output == A.Output, C.Output == A.Output, B.Failure == A.Failure, C.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C

    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fanIn = FanIn<PassingSlot<Output>, Downstream>(for: subscriber) { $0 }
      fanIn.attach(a) { $0.put($1) }
      fanIn.attach(b) { $0.put($1) }
      fanIn.attach(c) { $0.put($1) }
      fanIn.start()
    }
  }
}

extension Publishers.Merge3: Equatable
where A: Equatable, B: Equatable, C: Equatable {}
