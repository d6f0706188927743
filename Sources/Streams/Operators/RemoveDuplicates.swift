extension Publisher where Output: Equatable {
  /// Drops each value that equals the previous one.
  ///
  /// ```marble
  /// source: --1--1--2--1--|
  /// removeDuplicates()
  /// result: --1-----2--1--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value; holds the last value passed on.
  @inlinable public func removeDuplicates() -> Publishers.RemoveDuplicates<Self, Failure> {
    removeDuplicates { $0 == $1 }
  }
}

extension Publisher {
  /// Drops each value that a predicate finds equal to the last value passed on.
  ///
  /// ```marble
  /// source: --1--3--4--6--|
  /// removeDuplicates { $0 % 2 == $1 % 2 }
  /// result: --1-----4-----|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value; holds the last value passed on.
  ///
  /// - Parameter predicate: A closure that returns whether its second argument, the new value,
  ///   repeats the first, the last value passed on.
  @inlinable
  public func removeDuplicates(by predicate: @escaping @Sendable (Output, Output) -> Bool)
    -> Publishers.RemoveDuplicates<Self, Failure>
  {
    Publishers.RemoveDuplicates(
      through(Publishers.RemoveDuplicatesStage<Output, Failure>(predicate)))
  }

  /// Drops each value that a predicate that may throw finds equal to the last value passed on.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--1--2--3--|
  /// tryRemoveDuplicates { if $1 == 3 { throw Refused() }; return $0 == $1 }
  /// result: --1-----2--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value; holds the last value passed on.
  ///
  /// - Parameter predicate: A closure that returns whether its second argument, the new value,
  ///   repeats the first, the last value passed on.
  @_disfavoredOverload
  @inlinable
  public func tryRemoveDuplicates(by predicate: @escaping @Sendable (Output, Output) throws -> Bool)
    -> Publishers.RemoveDuplicates<Self, any Error>
  {
    Publishers.RemoveDuplicates(
      Publishers.Staged(self, Publishers.RemoveDuplicatesStage(predicate)) { $0 })
  }

  /// As ``tryRemoveDuplicates(by:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable public func tryRemoveDuplicates(
    by predicate: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
  ) -> Publishers.RemoveDuplicates<Self, Failure> {
    Publishers.RemoveDuplicates(through(Publishers.RemoveDuplicatesStage(predicate)))
  }

  /// As ``tryRemoveDuplicates(by:)``, for a publisher that cannot fail and a closure that throws a
  /// typed error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryRemoveDuplicates<NewFailure: Error>(
    by predicate: @escaping @Sendable (Output, Output) throws(NewFailure) -> Bool
  ) -> Publishers.RemoveDuplicates<Self, NewFailure> where Failure == Never {
    Publishers.RemoveDuplicates(
      Publishers.Staged(self, Publishers.RemoveDuplicatesStage(predicate), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of the values that differ from the previous one.
  @frozen public struct RemoveDuplicates<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    @usableFromInline let base: Staged<Upstream, RemoveDuplicatesStage<Upstream.Output, Failure>>

    @inlinable init(_ base: Staged<Upstream, RemoveDuplicatesStage<Upstream.Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that drops each value that the predicate finds equal to the last value passed on.
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
