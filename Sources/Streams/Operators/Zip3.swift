extension Publisher {
  /// Puts values of this publisher and two others that have the same place together.
  ///
  /// As ``zip(_:)``, for three publishers.
  ///
  /// ```marble
  /// source: --1--2----|
  /// b:      ---1--2----|
  /// c:      ----1--2---|
  /// zip(b, c)
  /// result: ----x--y--|
  /// x = (1, 1, 1)
  /// y = (2, 2, 2)
  /// ```
  ///
  /// - Demand: Everything of each upstream where the downstream asks for everything, and what runs
  ///   ahead waits without a bound; one value of each at a time otherwise.
  /// - Errors: The first failure of an upstream, at once; values that wait are dropped.
  /// - Completion: When an upstream has finished and its last value is used up; cancels the others.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: Where the upstream delivers that sent the last part, one at a time.
  /// - Complexity: O(1) for each value.
  @inlinable
  public func zip<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> Publishers.Zip3<Self, B, C> where B.Failure == Failure, C.Failure == Failure {
    Publishers.Zip3(self, b, c)
  }

  /// Makes one value of values that have the same place.
  ///
  /// As ``zip(_:)``, for three publishers and with a transform.
  ///
  /// ```marble
  /// source: --1--2----|
  /// b:      ---1--2----|
  /// c:      ----1--2---|
  /// zip(b, c) { $0 + $1 + $2 }
  /// result: ----3--6--|
  /// ```
  ///
  /// - Demand: Everything of each upstream where the downstream asks for everything, and what runs
  ///   ahead waits without a bound; one value of each at a time otherwise.
  /// - Errors: The first failure of an upstream, at once; values that wait are dropped.
  /// - Completion: When an upstream has finished and its last value is used up; cancels the others.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: Where the upstream delivers that sent the last part, one at a time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Makes one value of the parts; runs without a lock.
  @inlinable
  public func zip<B: Publisher, C: Publisher, NewOutput: Sendable>(
    _ b: B, _ c: C,
    _ transform: @escaping @Sendable (Output, B.Output, C.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.Zip3<Self, B, C>, NewOutput>
  where B.Failure == Failure, C.Failure == Failure {
    zip(b, c).map { transform($0.0, $0.1, $0.2) }
  }
}

extension Publishers {
  /// A publisher of the values of three publishers, place by place.
  @frozen
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    @usableFromInline
    typealias Row = Cells<
      QueueCell<A.Output>, Cells<QueueCell<B.Output>, Cells<QueueCell<C.Output>, NoCells>>
    >

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
      let fanIn = FanIn<Row, Downstream>(for: subscriber) { ($0.0, $0.1.0, $0.1.1.0) }
      fanIn.attach(a) { $0.cell.put($1) }
      fanIn.attach(b) { $0.rest.cell.put($1) }
      fanIn.attach(c) { $0.rest.rest.cell.put($1) }
      fanIn.start()
    }
  }
}

extension Publishers.Zip3: Equatable
where A: Equatable, B: Equatable, C: Equatable {}
