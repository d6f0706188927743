extension Publisher {
  /// Transforms each value with a closure that may throw, and drops nil results.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--4--|
  /// tryCompactMap { if $0 == 4 { throw Refused() }; return $0 == 2 ? nil : $0 + 1 }
  /// result: --2-----4--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: A closure that runs for each value, on the upstream's thread.
  @_disfavoredOverload
  @inlinable public func tryCompactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, any Error> {
    Publishers.TryCompactMap(
      Publishers.Staged(self, Publishers.TryCompactMapStage(transform)) { $0 })
  }

  /// As ``tryCompactMap(_:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable public func tryCompactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws(Failure) -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, Failure> {
    Publishers.TryCompactMap(through(Publishers.TryCompactMapStage(transform)))
  }

  /// As ``tryCompactMap(_:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryCompactMap<NewOutput: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Output) throws(NewFailure) -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, NewFailure> where Failure == Never {
    Publishers.TryCompactMap(
      Publishers.Staged(self, Publishers.TryCompactMapStage(transform), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of the transformed values that are not nil, which fails with the closure's error.
  @frozen
  public struct TryCompactMap<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher {
    @usableFromInline let base:
      Staged<Upstream, TryCompactMapStage<Upstream.Output, Output, Failure>>

    @inlinable init(_ base: Staged<Upstream, TryCompactMapStage<Upstream.Output, Output, Failure>>)
    {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that transforms each value and drops nil results.
  @frozen public struct TryCompactMapStage<Input: Sendable, Output: Sendable, Failure: Error>: Stage
  {
    @usableFromInline let transform: @Sendable (Input) throws(Failure) -> Output?

    @inlinable init(_ transform: @escaping @Sendable (Input) throws(Failure) -> Output?) {
      self.transform = transform
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Output> {
      try transform(input).map { .pass($0) } ?? .skip
    }
  }
}
