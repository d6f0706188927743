extension Publisher {
  /// Combines the values of this publisher and two others at the same position into a tuple.
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
  /// - Demand: Forwards the downstream's demand to each upstream. Values without a partner wait.
  ///   Limited demand limits their number, and unlimited demand does not.
  /// - Errors: The first failure of an upstream, at once. Waiting values are dropped.
  /// - Completion: When an upstream has finished and its last value is used. The others are then
  ///   cancelled.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: On the thread of the upstream that sent the last part, one result at a time.
  /// - Complexity: O(1) for each value.
  @inlinable public func zip<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> Publishers.Zip3<Self, B, C> where B.Failure == Failure, C.Failure == Failure {
    Publishers.Zip3(self, b, c)
  }

  /// Combines the values at the same position into one.
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
  /// - Demand: Forwards the downstream's demand to each upstream. Values without a partner wait.
  ///   Limited demand limits their number, and unlimited demand does not.
  /// - Errors: The first failure of an upstream, at once. Waiting values are dropped.
  /// - Completion: When an upstream has finished and its last value is used. The others are then
  ///   cancelled.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: On the thread of the upstream that sent the last part, one result at a time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - b: The second publisher.
  ///   - c: The third publisher.
  ///   - transform: A closure that makes one value from the parts. It runs without a lock.
  @inlinable public func zip<B: Publisher, C: Publisher, NewOutput: Sendable>(
    _ b: B, _ c: C,
    _ transform: @escaping @Sendable (Output, B.Output, C.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.Zip3<Self, B, C>, NewOutput>
  where B.Failure == Failure, C.Failure == Failure {
    zip(b, c).map { transform($0.0, $0.1, $0.2) }
  }
}

extension Publishers {
  /// A publisher of the values of three publishers, combined by position.
  @frozen public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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
      a.zip(b).zip(c) { ($0.0, $0.1, $1) }.receive(subscriber: subscriber)
    }
  }
}

extension Publishers.Zip3: Equatable
where A: Equatable, B: Equatable, C: Equatable {}
