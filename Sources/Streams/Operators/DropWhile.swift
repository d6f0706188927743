extension Publisher {
  /// Drops values as long as they satisfy a predicate; all after that pass.
  ///
  /// ```marble
  /// source: --1--2--3--1--|
  /// drop { $0 < 3 }
  /// result: --------3--1--|
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs where the publisher delivers, for each value until it returns
  ///   false.
  @inlinable public func drop(while predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.DropWhile<Self, Failure>
  {
    through(Publishers.DropWhileStage<Output, Failure>(predicate))
  }

  /// Drops values as long as they satisfy a predicate that may throw; all after that pass.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryDrop { if $0 == 2 { throw Refused() }; return true }
  /// result: -----#
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs where the publisher delivers, for each value until it returns
  ///   false.
  @_disfavoredOverload
  @inlinable public func tryDrop(while predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.DropWhile<Self, any Error>
  {
    Publishers.Staged(self, Publishers.DropWhileStage(predicate)) { $0 }
  }

  /// As ``tryDrop(while:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable
  public func tryDrop(while predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.DropWhile<Self, Failure>
  {
    through(Publishers.DropWhileStage(predicate))
  }

  /// As ``tryDrop(while:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryDrop<NewFailure: Error>(
    while predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.DropWhile<Self, NewFailure> where Failure == Never {
    Publishers.Staged(self, Publishers.DropWhileStage(predicate), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of the values from the first on that does not satisfy a predicate.
  public typealias DropWhile<Upstream: Publisher, Failure: Error> =
    Staged<Upstream, DropWhileStage<Upstream.Output, Failure>>

  /// Drops values as long as the predicate is satisfied; passes on all from there.
  @frozen public struct DropWhileStage<Input: Sendable, Failure: Error>: Stage {
    @usableFromInline var isDropping = true
    @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool

    @inlinable init(_ predicate: @escaping @Sendable (Input) throws(Failure) -> Bool) {
      self.predicate = predicate
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Input> {
      if isDropping { isDropping = try predicate(input) }
      return isDropping ? .skip : .pass(input)
    }
  }
}
