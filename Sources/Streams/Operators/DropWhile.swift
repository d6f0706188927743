extension Publisher {
  /// Drops values while they satisfy a predicate, and passes on all later values.
  ///
  /// ```marble
  /// source: --1--2--3--1--|
  /// drop { $0 < 3 }
  /// result: --------3--1--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread, until it
  ///   returns false.
  @inlinable public func drop(while predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.DropWhile<Self, Failure>
  {
    Publishers.DropWhile(through(Publishers.DropWhileStage<Output, Failure>(predicate)))
  }

  /// Drops values while they satisfy a predicate that may throw, and passes on all later values.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryDrop { if $0 == 2 { throw Refused() }; return true }
  /// result: -----#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread, until it
  ///   returns false.
  @_disfavoredOverload
  @inlinable public func tryDrop(while predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.DropWhile<Self, any Error>
  {
    Publishers.DropWhile(Publishers.Staged(self, Publishers.DropWhileStage(predicate)) { $0 })
  }

  /// As ``tryDrop(while:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable
  public func tryDrop(while predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.DropWhile<Self, Failure>
  {
    Publishers.DropWhile(through(Publishers.DropWhileStage(predicate)))
  }

  /// As ``tryDrop(while:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryDrop<NewFailure: Error>(
    while predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.DropWhile<Self, NewFailure> where Failure == Never {
    Publishers.DropWhile(
      Publishers.Staged(self, Publishers.DropWhileStage(predicate), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of the first value that does not satisfy a predicate, and of all later values.
  @frozen public struct DropWhile<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    @usableFromInline let base: Staged<Upstream, DropWhileStage<Upstream.Output, Failure>>

    @inlinable init(_ base: Staged<Upstream, DropWhileStage<Upstream.Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that drops values while they satisfy the predicate, and passes on all later values.
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
