extension Publisher {
  /// Combines the values of this publisher and three others at the same position into a tuple.
  ///
  /// As ``zip(_:)``, for four publishers.
  ///
  /// ```marble
  /// source: --1--2----|
  /// b:      ---1--2----|
  /// c:      ----1--2---|
  /// d:      -----1--2--|
  /// zip(b, c, d)
  /// result: -----x--y-|
  /// x = (1, 1, 1, 1)
  /// y = (2, 2, 2, 2)
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
  @inlinable public func zip<B: Publisher, C: Publisher, D: Publisher>(
    _ b: B, _ c: C, _ d: D
  ) -> Publishers.Zip4<Self, B, C, D>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    Publishers.Zip4(self, b, c, d)
  }

  /// Combines the values at the same position into one.
  ///
  /// As ``zip(_:)``, for four publishers and with a transform.
  ///
  /// ```marble
  /// source: --1--2----|
  /// b:      ---1--2----|
  /// c:      ----1--2---|
  /// d:      -----1--2--|
  /// zip(b, c, d) { $0 + $1 + $2 + $3 }
  /// result: -----4--8-|
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
  ///   - d: The fourth publisher.
  ///   - transform: A closure that makes one value from the parts. It runs without a lock.
  @inlinable public func zip<B: Publisher, C: Publisher, D: Publisher, NewOutput: Sendable>(
    _ b: B, _ c: C, _ d: D,
    _ transform: @escaping @Sendable (Output, B.Output, C.Output, D.Output) -> NewOutput
  ) -> Publishers.Map<Publishers.Zip4<Self, B, C, D>, NewOutput>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    zip(b, c, d).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}

extension Publishers {
  /// A publisher of the values of four publishers, combined by position.
  @frozen public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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
      a.zip(b).zip(c).zip(d) { ($0.0.0, $0.0.1, $0.1, $1) }.receive(subscriber: subscriber)
    }
  }
}

extension Publishers.Zip4: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
