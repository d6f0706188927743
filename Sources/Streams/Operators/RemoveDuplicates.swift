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
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self, Failure> {
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
    Publishers.RemoveDuplicates<Self, Failure>(
      upstream: self, mapFailure: { $0 }, predicate: predicate)
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
  @inlinable
  public func tryRemoveDuplicates(by predicate: @escaping @Sendable (Output, Output) throws -> Bool)
    -> Publishers.RemoveDuplicates<Self, any Error>
  {
    Publishers.RemoveDuplicates(upstream: self, mapFailure: { $0 }, predicate: predicate)
  }

  /// As ``tryRemoveDuplicates(by:)``, with a closure that throws the stream's own failure type,
  /// which is kept.
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value; holds the one passed on last.
  ///
  /// - Parameter predicate: Whether the second value, which is new, repeats the first, which was
  ///   passed on last.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
  ) -> Publishers.RemoveDuplicates<Self, Failure> {
    Publishers.RemoveDuplicates(upstream: self, mapFailure: { $0 }, predicate: predicate)
  }
}

extension Publisher where Failure == Never {
  /// As ``tryRemoveDuplicates(by:)``, of a stream that cannot fail: the closure's error type
  /// becomes the failure's.
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, in its own type.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value; holds the one passed on last.
  ///
  /// - Parameter predicate: Whether the second value, which is new, repeats the first, which was
  ///   passed on last.
  @inlinable
  public func tryRemoveDuplicates<NewFailure: Error>(
    by predicate: @escaping @Sendable (Output, Output) throws(NewFailure) -> Bool
  ) -> Publishers.RemoveDuplicates<Self, NewFailure> {
    Publishers.RemoveDuplicates(upstream: self, mapFailure: impossible, predicate: predicate)
  }
}

extension Publishers {
  /// A publisher of the values that differ from the one before.
  @frozen
  public struct RemoveDuplicates<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    public let upstream: Upstream
    @usableFromInline let mapFailure: @Sendable (Upstream.Failure) -> Failure
    public let predicate: @Sendable (Upstream.Output, Upstream.Output) throws(Failure) -> Bool

    @inlinable
    init(
      upstream: Upstream, mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
      predicate: @escaping @Sendable (Upstream.Output, Upstream.Output) throws(Failure) -> Bool
    ) {
      self.upstream = upstream
      self.mapFailure = mapFailure
      self.predicate = predicate
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let stage = RemoveDuplicatesStage(isDuplicate: predicate)
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: mapFailure))
    }
  }
}

@frozen
@usableFromInline
struct RemoveDuplicatesStage<Input: Sendable, Failure: Error>: Stage {
  @usableFromInline var last: Input? = nil
  @usableFromInline let isDuplicate: @Sendable (Input, Input) throws(Failure) -> Bool

  @inlinable
  init(isDuplicate: @escaping @Sendable (Input, Input) throws(Failure) -> Bool) {
    self.isDuplicate = isDuplicate
  }

  @inlinable
  mutating func receive(_ input: Input) -> StageStep<Input, Failure> {
    do throws(Failure) {
      if let last, try isDuplicate(last, input) { return .skip }
      last = input
      return .pass(input)
    } catch {
      return .fail(error)
    }
  }
}
