extension Publisher {
  /// Combines all values into one, and passes it on when the publisher finishes.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// reduce(0, +)
  /// result: -----------(6|)
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the result, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - initialResult: What the first value is combined with, and the result if there is none.
  ///   - nextPartialResult: Combines the result so far with the next value.
  @inlinable
  public func reduce<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) -> Result
  ) -> Publishers.Reduce<Self, Result> {
    Publishers.Reduce(
      upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}

extension Publishers {
  /// A publisher of all values combined into one.
  @frozen
  public struct Reduce<Upstream: Publisher, Output: Sendable>: Publisher {
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
      let fold = ReduceFold<Upstream.Output, Output, Failure>(
        value: initialResult, next: nextPartialResult)
      upstream.receive(
        subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}

@frozen
@usableFromInline
struct ReduceFold<Input: Sendable, Output: Sendable, Failure: Error>: Fold {
  @usableFromInline var value: Output
  @usableFromInline let next: @Sendable (Output, Input) throws(Failure) -> Output

  @inlinable
  init(
    value: Output, next: @escaping @Sendable (Output, Input) throws(Failure) -> Output
  ) {
    self.value = value
    self.next = next
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Failure) -> Bool {
    value = try next(value, input)
    return true
  }

  @inlinable
  mutating func result() throws(Failure) -> Output? { value }
}
