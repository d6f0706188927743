extension Publisher where Output: Equatable {
  /// Drops a value that equals the one before it.
  ///
  /// ```marble
  /// source: --1--1--2--1--|
  /// removeDuplicates()
  /// result: --1-----2--1--|
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value; holds the one passed on last.
  @inlinable public func removeDuplicates() -> Publishers.RemoveDuplicates<Self, Failure> {
    removeDuplicates { $0 == $1 }
  }
}

extension Publisher {
  /// Drops a value that says the same as the one passed on before it, in the eyes of a predicate.
  ///
  /// ```marble
  /// source: --1--3--4--6--|
  /// removeDuplicates { $0 % 2 == $1 % 2 }
  /// result: --1-----4-----|
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value; holds the one passed on last.
  ///
  /// - Parameter predicate: Whether the second value, which is new, repeats the first, which was
  ///   passed on last.
  @inlinable
  public func removeDuplicates(by predicate: @escaping @Sendable (Output, Output) -> Bool)
    -> Publishers.RemoveDuplicates<Self, Failure>
  {
    through(Publishers.RemoveDuplicatesStage<Output, Failure>(predicate))
  }

  /// Drops a value that says the same as the one passed on before it, in the eyes of a predicate
  /// that may throw.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--1--2--3--|
  /// tryRemoveDuplicates { if $1 == 3 { throw Refused() }; return $0 == $1 }
  /// result: --1-----2--#
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value; holds the one passed on last.
  ///
  /// - Parameter predicate: Whether the second value, which is new, repeats the first, which was
  ///   passed on last.
  @_disfavoredOverload
  @inlinable
  public func tryRemoveDuplicates(by predicate: @escaping @Sendable (Output, Output) throws -> Bool)
    -> Publishers.RemoveDuplicates<Self, any Error>
  {
    Publishers.Staged(self, Publishers.RemoveDuplicatesStage(predicate)) { $0 }
  }

  /// As ``tryRemoveDuplicates(by:)``, with a closure that throws the stream's own failure type,
  /// which is kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable public func tryRemoveDuplicates(
    by predicate: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
  ) -> Publishers.RemoveDuplicates<Self, Failure> {
    through(Publishers.RemoveDuplicatesStage(predicate))
  }

  /// As ``tryRemoveDuplicates(by:)``, of a stream that cannot fail: the closure's error type
  /// becomes the failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryRemoveDuplicates<NewFailure: Error>(
    by predicate: @escaping @Sendable (Output, Output) throws(NewFailure) -> Bool
  ) -> Publishers.RemoveDuplicates<Self, NewFailure> where Failure == Never {
    Publishers.Staged(self, Publishers.RemoveDuplicatesStage(predicate), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of the values that differ from the one before.
  public typealias RemoveDuplicates<Upstream: Publisher, Failure: Error> =
    Staged<Upstream, RemoveDuplicatesStage<Upstream.Output, Failure>>

  /// Drops each value that the predicate finds equal to the one passed on before.
  @frozen public struct RemoveDuplicatesStage<Input: Sendable, Failure: Error>: Stage {
    @usableFromInline var last: Input?
    @usableFromInline let isDuplicate: @Sendable (Input, Input) throws(Failure) -> Bool

    @inlinable init(_ isDuplicate: @escaping @Sendable (Input, Input) throws(Failure) -> Bool) {
      self.isDuplicate = isDuplicate
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Input> {
      if let last, try isDuplicate(last, input) { return .skip }
      last = input
      return .pass(input)
    }
  }
}
