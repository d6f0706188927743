extension Publisher {
  /// Passes on the values of this publisher and of six others as they come.
  ///
  /// As ``merge(with:)``, for seven publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// d:      --------4--|
  /// e:      ----------5--|
  /// f:      ------------6--|
  /// g:      --------------7--|
  /// merge(with: b, c, d, e, f, g)
  /// result: --1-2-3-4-5-6-7--|
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
  public func merge<
    B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
  >(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
  where
    B.Output == Output, C.Output == Output, D.Output == Output, E.Output == Output,
    F.Output == Output, G.Output == Output, B.Failure == Failure, C.Failure == Failure,
    D.Failure == Failure, E.Failure == Failure, F.Failure == Failure, G.Failure == Failure
  {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }
}

extension Publishers {
  /// A publisher of the values of seven publishers, as they come.
  @frozen
  public struct Merge7<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
  >: Publisher
  where
    B.Output == A.Output, C.Output == A.Output, D.Output == A.Output, E.Output == A.Output,
    F.Output == A.Output, G.Output == A.Output, B.Failure == A.Failure, C.Failure == A.Failure,
    D.Failure == A.Failure, E.Failure == A.Failure, F.Failure == A.Failure, G.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D
    public let e: E
    public let f: F
    public let g: G

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
      self.g = g
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fanIn = FanIn<PassingSlot<Output>, Downstream>(for: subscriber) { $0 }
      fanIn.attach(a) { $0.put($1) }
      fanIn.attach(b) { $0.put($1) }
      fanIn.attach(c) { $0.put($1) }
      fanIn.attach(d) { $0.put($1) }
      fanIn.attach(e) { $0.put($1) }
      fanIn.attach(f) { $0.put($1) }
      fanIn.attach(g) { $0.put($1) }
      fanIn.start()
    }
  }
}

extension Publishers.Merge7: Equatable
where
  A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable
{}
