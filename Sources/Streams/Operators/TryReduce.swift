extension Publisher {
  /// Combines all values into one, with a closure that may throw, and passes it on when the
  /// publisher finishes.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryReduce(0) { if $1 == 3 { throw Refused() }; return $0 + $1 }
  /// result: --------#
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: With the result, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - initialResult: What the first value is combined with, and the result if there is none.
  ///   - nextPartialResult: Combines the result so far with the next value.
  @_disfavoredOverload
  @inlinable public func tryReduce<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws -> Result
  ) -> Publishers.TryReduce<Self, Result, any Error> {
    Publishers.Folded(self, Publishers.ReduceFold(initialResult, nextPartialResult)) { $0 }
  }

  /// As ``tryReduce(_:_:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable public func tryReduce<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws(Failure) -> Result
  ) -> Publishers.TryReduce<Self, Result, Failure> {
    through(Publishers.ReduceFold(initialResult, nextPartialResult))
  }

  /// As ``tryReduce(_:_:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryReduce<Result: Sendable, NewFailure: Error>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws(NewFailure) -> Result
  ) -> Publishers.TryReduce<Self, Result, NewFailure> where Failure == Never {
    Publishers.Folded(
      self, Publishers.ReduceFold(initialResult, nextPartialResult), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of all values combined into one that fails with what the closure throws.
  public typealias TryReduce<Upstream: Publisher, Output: Sendable, Failure: Error> =
    Folded<Upstream, ReduceFold<Upstream.Output, Output, Failure>>
}
