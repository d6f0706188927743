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
  @inlinable
  public func tryCompactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, any Error> {
    Publishers.TryCompactMap(upstream: self, mapFailure: { $0 }, transform: transform)
  }

  /// As ``tryCompactMap(_:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryCompactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws(Failure) -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, Failure> {
    Publishers.TryCompactMap(upstream: self, mapFailure: { $0 }, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// As ``tryCompactMap(_:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, in its own type.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryCompactMap<NewOutput: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Output) throws(NewFailure) -> NewOutput?
  ) -> Publishers.TryCompactMap<Self, NewOutput, NewFailure> {
    Publishers.TryCompactMap(upstream: self, mapFailure: impossible, transform: transform)
  }
}

extension Publishers {
  /// A publisher of the transformed values that are not nil, which fails with what the transform
  /// throws.
  @frozen
  public struct TryCompactMap<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher {
    public let upstream: Upstream
    @usableFromInline let mapFailure: @Sendable (Upstream.Failure) -> Failure
    public let transform: @Sendable (Upstream.Output) throws(Failure) -> Output?

    @inlinable
    init(
      upstream: Upstream, mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
      transform: @escaping @Sendable (Upstream.Output) throws(Failure) -> Output?
    ) {
      self.upstream = upstream
      self.mapFailure = mapFailure
      self.transform = transform
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let stage = TryCompactMapStage(transform: transform)
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: mapFailure))
    }
  }
}

@frozen
@usableFromInline
struct TryCompactMapStage<Input: Sendable, Output: Sendable, Failure: Error>: Stage {
  @usableFromInline let transform: @Sendable (Input) throws(Failure) -> Output?

  @inlinable
  init(transform: @escaping @Sendable (Input) throws(Failure) -> Output?) {
    self.transform = transform
  }

  @inlinable
  mutating func receive(_ input: Input) -> StageStep<Output, Failure> {
    do throws(Failure) {
      guard let output = try transform(input) else { return .skip }
      return .pass(output)
    } catch {
      return .fail(error)
    }
  }
}
