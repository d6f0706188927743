extension Publisher {
  /// Combines each value with all before it, with a closure that may throw, and passes on each
  /// intermediate result.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryScan(0) { if $1 == 3 { throw Refused() }; return $0 + $1 }
  /// result: --1--3--#
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - initialResult: What the first value is combined with.
  ///   - nextPartialResult: Combines the result so far with the next value.
  @_disfavoredOverload
  @inlinable public func tryScan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws -> Result
  ) -> Publishers.TryScan<Self, Result, any Error> {
    Publishers.Staged(self, Publishers.ScanStage(initialResult, nextPartialResult)) { $0 }
  }

  /// As ``tryScan(_:_:)``, with a closure that throws the stream's own failure type, which is kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable public func tryScan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws(Failure) -> Result
  ) -> Publishers.TryScan<Self, Result, Failure> {
    through(Publishers.ScanStage(initialResult, nextPartialResult))
  }

  /// As ``tryScan(_:_:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryScan<Result: Sendable, NewFailure: Error>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws(NewFailure) -> Result
  ) -> Publishers.TryScan<Self, Result, NewFailure> where Failure == Never {
    Publishers.Staged(
      self, Publishers.ScanStage(initialResult, nextPartialResult), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of intermediate results that fails with what the closure throws.
  public typealias TryScan<Upstream: Publisher, Output: Sendable, Failure: Error> =
    Staged<Upstream, ScanStage<Upstream.Output, Output, Failure>>
}
