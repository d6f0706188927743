extension Publisher {
  /// Combines each value with all before it, and passes on each intermediate result.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// scan(0, +)
  /// result: --1--3--6--|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - initialResult: What the first value is combined with.
  ///   - nextPartialResult: Combines the result so far with the next value.
  @inlinable
  public func scan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) -> Result
  ) -> Publishers.Scan<Self, Result> {
    Publishers.Scan(
      upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}

extension Publishers {
  /// A publisher of intermediate results.
  @frozen
  public struct Scan<Upstream: Publisher, Output: Sendable>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let initialResult: Output
    public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

    @inlinable
    public init(
      upstream: Upstream, initialResult: Output,
      nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let stage = ScanStage<Upstream.Output, Output, Failure>(
        result: initialResult, next: nextPartialResult)
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}

@frozen
@usableFromInline
struct ScanStage<Input: Sendable, Output: Sendable, Failure: Error>: Stage {
  @usableFromInline var result: Output
  @usableFromInline let next: @Sendable (Output, Input) throws(Failure) -> Output

  @inlinable
  init(
    result: Output, next: @escaping @Sendable (Output, Input) throws(Failure) -> Output
  ) {
    self.result = result
    self.next = next
  }

  @inlinable
  mutating func receive(_ input: Input) -> StageStep<Output, Failure> {
    do throws(Failure) {
      result = try next(result, input)
      return .pass(result)
    } catch {
      return .fail(error)
    }
  }
}
