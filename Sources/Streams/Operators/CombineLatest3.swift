extension Publisher {
  /// Sends the latest values of this publisher and two others whenever one of them sends one.
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
  /// - Demand: Requests everything from each upstream, after the downstream's first request. Of the
  ///   results beyond the demand, only the latest waits.
  /// - Errors: The first failure of an upstream, at once. Waiting values are dropped.
  /// - Completion: When all upstreams have finished, or when one has finished without a value. The
  ///   others are then cancelled.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: On the thread of the upstream that sent the last part, one result at a time.
  /// - Complexity: O(1) for each value.
  @inlinable public func combineLatest<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> Publishers.CombineLatest3<Self, B, C> where B.Failure == Failure, C.Failure == Failure {
    Publishers.CombineLatest3(self, b, c)
  }

  /// Combines the latest values into one whenever a publisher sends a value.
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
  ///   - transform: A closure that makes one value from the parts. It runs without a lock.
  @inlinable public func combineLatest<B: Publisher, C: Publisher, NewOutput: Sendable>(
    _ b: B, _ c: C,
    _ transform: @escaping @Sendable (Output, B.Output, C.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.CombineLatest3<Self, B, C>, NewOutput>
  where B.Failure == Failure, C.Failure == Failure {
    combineLatest(b, c).map { transform($0.0, $0.1, $0.2) }
  }
}

extension Publishers {
  /// A publisher of the latest values of three publishers, sent whenever one of them sends one.
  @frozen public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C

    @inlinable public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      a.combineLatest(b).combineLatest(c) { ($0.0, $0.1, $1) }.receive(subscriber: subscriber)
    }
  }
}

extension Publishers.CombineLatest3: Equatable
where A: Equatable, B: Equatable, C: Equatable {}
