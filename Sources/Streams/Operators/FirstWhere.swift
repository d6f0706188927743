extension Publisher {
  /// Sends the first value that satisfies a predicate and finishes.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// first { $0 > 1 }
  /// result: -----(2|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, which also cancels the upstream, or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread.
  @inlinable public func first(where predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.FirstWhere<Self, Failure>
  {
    Publishers.FirstWhere(through(Publishers.FirstWhereStage<Output, Failure>(predicate)))
  }

  /// Sends the first value that satisfies a predicate that may throw, and finishes.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryFirst { if $0 == 2 { throw Refused() }; return $0 > 2 }
  /// result: -----#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: With the value, which also cancels the upstream, or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread.
  @_disfavoredOverload
  @inlinable public func tryFirst(where predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.FirstWhere<Self, any Error>
  {
    Publishers.FirstWhere(Publishers.Staged(self, Publishers.FirstWhereStage(predicate)) { $0 })
  }

  /// As ``tryFirst(where:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable
  public func tryFirst(where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.FirstWhere<Self, Failure>
  {
    Publishers.FirstWhere(through(Publishers.FirstWhereStage(predicate)))
  }

  /// As ``tryFirst(where:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryFirst<NewFailure: Error>(
    where predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.FirstWhere<Self, NewFailure> where Failure == Never {
    Publishers.FirstWhere(
      Publishers.Staged(self, Publishers.FirstWhereStage(predicate), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of the first value that satisfies a predicate.
  @frozen public struct FirstWhere<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    @usableFromInline let base: Staged<Upstream, FirstWhereStage<Upstream.Output, Failure>>

    @inlinable init(_ base: Staged<Upstream, FirstWhereStage<Upstream.Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that drops values until one satisfies the predicate, and finishes with that value.
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
