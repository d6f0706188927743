extension Publisher {
  /// Passes on the values of this publisher and of three others as they come.
  ///
  /// As ``merge(with:)``, for four publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// d:      --------4--|
  /// merge(with: b, c, d)
  /// result: --1-2-3-4--|
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
  public func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B, _ c: C, _ d: D
  ) -> Publishers.Merge4<Self, B, C, D>
  where
    B.Output == Output, C.Output == Output, D.Output == Output, B.Failure == Failure,
    C.Failure == Failure, D.Failure == Failure
  {
    Publishers.Merge4(self, b, c, d)
  }
}

extension Publishers {
  /// A publisher of the values of four publishers, as they come.
  @frozen
  public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where
    B.Output == A.Output, C.Output == A.Output, D.Output == A.Output, B.Failure == A.Failure,
    C.Failure == A.Failure, D.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fanIn = FanIn<PassingSlot<Output>, Downstream>(for: subscriber) { $0 }
      fanIn.attach(a) { $0.put($1) }
      fanIn.attach(b) { $0.put($1) }
      fanIn.attach(c) { $0.put($1) }
      fanIn.attach(d) { $0.put($1) }
      fanIn.start()
    }
  }
}

extension Publishers.Merge4: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
