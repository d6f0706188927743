extension Publisher {
  /// Sends the latest values of this publisher and three others whenever one of them sends one.
  ///
  /// As ``combineLatest(_:)``, for four publishers.
  ///
  /// ```marble
  /// source: --1--------|
  /// b:      ---1-------|
  /// c:      ----1-------|
  /// d:      -----1--2---|
  /// combineLatest(b, c, d)
  /// result: -----x--y---|
  /// x = (1, 1, 1, 1)
  /// y = (1, 1, 1, 2)
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
  @inlinable public func combineLatest<B: Publisher, C: Publisher, D: Publisher>(
    _ b: B, _ c: C, _ d: D
  ) -> Publishers.CombineLatest4<Self, B, C, D>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    Publishers.CombineLatest4(self, b, c, d)
  }

  /// Combines the latest values into one whenever a publisher sends a value.
  ///
  /// As ``combineLatest(_:)``, for four publishers and with a transform.
  ///
  /// ```marble
  /// source: --1--------|
  /// b:      ---1-------|
  /// c:      ----1-------|
  /// d:      -----1--2---|
  /// combineLatest(b, c, d) { $0 + $1 + $2 + $3 }
  /// result: -----4--5---|
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
  /// - Parameters:
  ///   - b: The second publisher.
  ///   - c: The third publisher.
  ///   - d: The fourth publisher.
  ///   - transform: A closure that makes one value from the parts. It runs without a lock.
  @inlinable
  public func combineLatest<B: Publisher, C: Publisher, D: Publisher, NewOutput: Sendable>(
    _ b: B, _ c: C, _ d: D,
    _ transform: @escaping @Sendable (Output, B.Output, C.Output, D.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.CombineLatest4<Self, B, C, D>, NewOutput>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    combineLatest(b, c, d).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}

extension Publishers {
  /// A publisher of the latest values of four publishers, sent whenever one of them sends one.
  @frozen
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D

    @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      a.combineLatest(b).combineLatest(c).combineLatest(d) { ($0.0.0, $0.0.1, $0.1, $1) }.receive(
        subscriber: subscriber)
    }
  }
}

extension Publishers.CombineLatest4: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
