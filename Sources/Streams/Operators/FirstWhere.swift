extension Publisher {
  /// Passes the first value on that satisfies a predicate, and finishes.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// first { $0 > 1 }
  /// result: -----(2|)
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, without waiting for the upstream, which is cancelled; or when
  ///   the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers.
  @inlinable public func first(where predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.FirstWhere<Self, Failure>
  {
    through(Publishers.FirstWhereStage<Output, Failure>(predicate))
  }

  /// Passes the first value on that satisfies a predicate that may throw, and finishes.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryFirst { if $0 == 2 { throw Refused() }; return $0 > 2 }
  /// result: -----#
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: With the value, without waiting for the upstream, which is cancelled; or when
  ///   the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers.
  @_disfavoredOverload
  @inlinable public func tryFirst(where predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.FirstWhere<Self, any Error>
  {
    Publishers.Staged(self, Publishers.FirstWhereStage(predicate)) { $0 }
  }

  /// As ``tryFirst(where:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable
  public func tryFirst(where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.FirstWhere<Self, Failure>
  {
    through(Publishers.FirstWhereStage(predicate))
  }

  /// As ``tryFirst(where:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryFirst<NewFailure: Error>(
    where predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.FirstWhere<Self, NewFailure> where Failure == Never {
    Publishers.Staged(self, Publishers.FirstWhereStage(predicate), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of the first value that satisfies a predicate.
  public typealias FirstWhere<Upstream: Publisher, Failure: Error> =
    Staged<Upstream, FirstWhereStage<Upstream.Output, Failure>>

  /// Drops values until the predicate is satisfied, and finishes with that value.
  @frozen public struct FirstWhereStage<Input: Sendable, Failure: Error>: Stage {
    @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool

    @inlinable init(_ predicate: @escaping @Sendable (Input) throws(Failure) -> Bool) {
      self.predicate = predicate
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Input> {
      try predicate(input) ? .last(input) : .skip
    }
  }
}
