extension Publisher {
  /// Transforms each value with a closure that may throw, and lets those through that do not become
  /// nil.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--4--|
  /// tryCompactMap { if $0 == 4 { throw Refused() }; return $0 == 2 ? nil : $0 + 1 }
  /// result: --2-----4--#
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Runs for each value, where the publisher delivers.
  @_disfavoredOverload
  @inlinable public func tryCompactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, any Error> {
    Publishers.Staged(self, Publishers.TryCompactMapStage(transform)) { $0 }
  }

  /// As ``tryCompactMap(_:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable public func tryCompactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws(Failure) -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, Failure> {
    through(Publishers.TryCompactMapStage(transform))
  }

  /// As ``tryCompactMap(_:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryCompactMap<NewOutput: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Output) throws(NewFailure) -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, NewFailure> where Failure == Never {
    Publishers.Staged(self, Publishers.TryCompactMapStage(transform), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of the transformed values that are not nil, which fails with what the transform
  /// throws.
  public typealias TryCompactMap<Upstream: Publisher, Output: Sendable, Failure: Error> =
    Staged<Upstream, TryCompactMapStage<Upstream.Output, Output, Failure>>

  /// Transforms each value, and drops those of which nothing comes.
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
