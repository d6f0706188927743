extension Publisher {
  /// Lets only those values through that satisfy a predicate that may throw.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--4--|
  /// tryFilter { if $0 == 4 { throw Refused() }; return $0 != 2 }
  /// result: --1-----3--#
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter isIncluded: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.TryFilter<Self, any Error>
  {
    Publishers.TryFilter(upstream: self, mapFailure: { $0 }, isIncluded: isIncluded)
  }

  /// As ``tryFilter(_:)``, with a closure that throws the stream's own failure type, which is kept.
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter isIncluded: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.TryFilter<Self, Failure>
  {
    Publishers.TryFilter(upstream: self, mapFailure: { $0 }, isIncluded: isIncluded)
  }
}

extension Publisher where Failure == Never {
  /// As ``tryFilter(_:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, in its own type.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter isIncluded: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryFilter<NewFailure: Error>(
    _ isIncluded: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.TryFilter<Self, NewFailure> {
    Publishers.TryFilter(upstream: self, mapFailure: impossible, isIncluded: isIncluded)
  }
}

extension Publishers {
  /// A publisher of the values that satisfy a predicate, which fails with what that throws.
  @frozen
  public struct TryFilter<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    public let upstream: Upstream
    @usableFromInline let mapFailure: @Sendable (Upstream.Failure) -> Failure
    public let isIncluded: @Sendable (Upstream.Output) throws(Failure) -> Bool

    @inlinable
    init(
      upstream: Upstream, mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
      isIncluded: @escaping @Sendable (Upstream.Output) throws(Failure) -> Bool
    ) {
      self.upstream = upstream
      self.mapFailure = mapFailure
      self.isIncluded = isIncluded
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let stage = TryFilterStage(isIncluded: isIncluded)
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: mapFailure))
    }
  }
}

@frozen
@usableFromInline
struct TryFilterStage<Input: Sendable, Failure: Error>: Stage {
  @usableFromInline let isIncluded: @Sendable (Input) throws(Failure) -> Bool

  @inlinable
  init(isIncluded: @escaping @Sendable (Input) throws(Failure) -> Bool) {
    self.isIncluded = isIncluded
  }

  @inlinable
  mutating func receive(_ input: Input) -> StageStep<Input, Failure> {
    do throws(Failure) {
      return try isIncluded(input) ? .pass(input) : .skip
    } catch {
      return .fail(error)
    }
  }
}
