extension Publisher {
  /// Passes values on as long as they satisfy a predicate, then finishes.
  ///
  /// ```marble
  /// source: --1--2--3--1--|
  /// prefix { $0 < 3 }
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: With the first value that does not satisfy the predicate, without waiting for
  ///   the upstream, which is cancelled; or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs where the publisher delivers, for each value; the first false ends
  ///   the stream.
  @inlinable public func prefix(while predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.PrefixWhile<Self, Failure>
  {
    through(Publishers.PrefixWhileStage<Output, Failure>(predicate))
  }

  /// Passes values on as long as they satisfy a predicate that may throw, then finishes.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryPrefix { if $0 == 3 { throw Refused() }; return true }
  /// result: --1--2--#
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: With the first value that does not satisfy the predicate, without waiting for
  ///   the upstream, which is cancelled; or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs where the publisher delivers, for each value; the first false ends
  ///   the stream.
  @_disfavoredOverload
  @inlinable public func tryPrefix(while predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.PrefixWhile<Self, any Error>
  {
    Publishers.Staged(self, Publishers.PrefixWhileStage(predicate)) { $0 }
  }

  /// As ``tryPrefix(while:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable
  public func tryPrefix(while predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.PrefixWhile<Self, Failure>
  {
    through(Publishers.PrefixWhileStage(predicate))
  }

  /// As ``tryPrefix(while:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryPrefix<NewFailure: Error>(
    while predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.PrefixWhile<Self, NewFailure> where Failure == Never {
    Publishers.Staged(self, Publishers.PrefixWhileStage(predicate), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of the values before the first that does not satisfy a predicate.
  public typealias PrefixWhile<Upstream: Publisher, Failure: Error> =
    Staged<Upstream, PrefixWhileStage<Upstream.Output, Failure>>

  /// Passes values on as long as the predicate is satisfied, and finishes.
  @frozen public struct PrefixWhileStage<Input: Sendable, Failure: Error>: Stage {
    @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool

    @inlinable init(_ predicate: @escaping @Sendable (Input) throws(Failure) -> Bool) {
      self.predicate = predicate
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Input> {
      try predicate(input) ? .pass(input) : .finish
    }
  }
}
