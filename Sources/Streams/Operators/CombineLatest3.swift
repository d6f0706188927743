extension Publisher {
  /// Passes on the latest values of this publisher and two others whenever one of them
  /// sends one.
  ///
  /// As ``combineLatest(_:)``, for three publishers.
  ///
  /// ```marble
  /// source: --1-------|
  /// b:      ---1-------|
  /// c:      ----1--2---|
  /// combineLatest(b, c)
  /// result: ----x--y---|
  /// x = (1, 1, 1)
  /// y = (1, 1, 2)
  /// ```
  ///
  /// - Demand: Everything of each upstream, from the downstream's first demand on. Of what is made
  ///   beyond the demand the latest waits.
  /// - Errors: The first failure of an upstream, at once; values that wait are dropped.
  /// - Completion: When all upstreams have finished, or one has without a value; cancels the
  ///   others.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: Where the upstream delivers that sent the last part, one at a time.
  /// - Complexity: O(1) for each value.
  @inlinable public func combineLatest<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> Publishers.CombineLatest3<Self, B, C> where B.Failure == Failure, C.Failure == Failure {
    combineLatest(b).combineLatest(c) { ($0.0, $0.1, $1) }
  }

  /// Makes one value of the latest values whenever one of them comes.
  ///
  /// As ``combineLatest(_:)``, for three publishers and with a transform.
  ///
  /// ```marble
  /// source: --1-------|
  /// b:      ---1-------|
  /// c:      ----1--2---|
  /// combineLatest(b, c) { $0 + $1 + $2 }
  /// result: ----3--4---|
  /// ```
  ///
  /// - Demand: Everything of each upstream, from the downstream's first demand on. Of what is made
  ///   beyond the demand the latest waits.
  /// - Errors: The first failure of an upstream, at once; values that wait are dropped.
  /// - Completion: When all upstreams have finished, or one has without a value; cancels the
  ///   others.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: Where the upstream delivers that sent the last part, one at a time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - b: The second publisher.
  ///   - c: The third publisher.
  ///   - transform: Makes one value of the parts; runs without a lock.
  @inlinable public func combineLatest<B: Publisher, C: Publisher, NewOutput: Sendable>(
    _ b: B, _ c: C,
    _ transform: @escaping @Sendable (Output, B.Output, C.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.CombineLatest3<Self, B, C>, NewOutput>
  where B.Failure == Failure, C.Failure == Failure {
    combineLatest(b, c).map { transform($0.0, $0.1, $0.2) }
  }
}

extension Publishers {
  /// A publisher of the values of three publishers, the latest whenever one comes.
  public typealias CombineLatest3<A: Publisher, B: Publisher, C: Publisher> = Map<
    CombineLatest<CombineLatest<A, B>, C>, (A.Output, B.Output, C.Output)
  >
  where B.Failure == A.Failure, C.Failure == A.Failure
}
