extension Publisher {
  /// Combines all values into one with a closure that may throw, and sends it when the publisher
  /// finishes.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryReduce(0) { if $1 == 3 { throw Refused() }; return $0 + $1 }
  /// result: --------#
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: With the result, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - initialResult: The value that the first value is combined with. It is also the result if
  ///     there are no values.
  ///   - nextPartialResult: A closure that combines the result so far with the next value.
  @_disfavoredOverload
  @inlinable public func tryReduce<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws -> Result
  ) -> Publishers.TryReduce<Self, Result, any Error> {
    Publishers.TryReduce(
      Publishers.Folded(self, Publishers.ReduceFold(initialResult, nextPartialResult)) { $0 })
  }

  /// As ``tryReduce(_:_:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable public func tryReduce<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws(Failure) -> Result
  ) -> Publishers.TryReduce<Self, Result, Failure> {
    Publishers.TryReduce(through(Publishers.ReduceFold(initialResult, nextPartialResult)))
  }

  /// As ``tryReduce(_:_:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryReduce<Result: Sendable, NewFailure: Error>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) throws(NewFailure) -> Result
  ) -> Publishers.TryReduce<Self, Result, NewFailure> where Failure == Never {
    Publishers.TryReduce(
      Publishers.Folded(
        self, Publishers.ReduceFold(initialResult, nextPartialResult), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of all values combined into one that fails with the closure's error.
  @frozen public struct TryReduce<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher
  {
    @usableFromInline let base: Folded<Upstream, ReduceFold<Upstream.Output, Output, Failure>>

    @inlinable init(_ base: Folded<Upstream, ReduceFold<Upstream.Output, Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }
}
