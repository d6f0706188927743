extension Publisher {
  /// Combines each value with the result so far, with a closure that may throw, and sends each
  /// intermediate result.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryScan(0) { if $1 == 3 { throw Refused() }; return $0 + $1 }
  /// result: --1--3--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - initialResult: The value that the first value is combined with.
  ///   - nextPartialResult: A closure that combines the result so far with the next value.
  @_disfavoredOverload
  @inlinable public func tryScan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws -> Result
  ) -> Publishers.TryScan<Self, Result, any Error> {
    Publishers.TryScan(
      Publishers.Staged(self, Publishers.ScanStage(initialResult, nextPartialResult)) { $0 })
  }

  /// As ``tryScan(_:_:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable public func tryScan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws(Failure) -> Result
  ) -> Publishers.TryScan<Self, Result, Failure> {
    Publishers.TryScan(through(Publishers.ScanStage(initialResult, nextPartialResult)))
  }

  /// As ``tryScan(_:_:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryScan<Result: Sendable, NewFailure: Error>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws(NewFailure) -> Result
  ) -> Publishers.TryScan<Self, Result, NewFailure> where Failure == Never {
    Publishers.TryScan(
      Publishers.Staged(
        self, Publishers.ScanStage(initialResult, nextPartialResult), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of intermediate results that fails with the closure's error.
  @frozen public struct TryScan<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher {
    @usableFromInline let base: Staged<Upstream, ScanStage<Upstream.Output, Output, Failure>>

    @inlinable init(_ base: Staged<Upstream, ScanStage<Upstream.Output, Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }
}
