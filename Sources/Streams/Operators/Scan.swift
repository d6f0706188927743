extension Publisher {
  /// Combines each value with the result so far and sends each intermediate result.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// scan(0, +)
  /// result: --1--3--6--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - initialResult: The value that the first value is combined with.
  ///   - nextPartialResult: A closure that combines the result so far with the next value.
  @inlinable public func scan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) -> Result
  ) -> Publishers.Scan<Self, Result> {
    Publishers.TryScan(
      through(Publishers.ScanStage<Output, Result, Failure>(initialResult, nextPartialResult)))
  }
}

extension Publishers {
  /// A publisher of intermediate results.
  public typealias Scan<Upstream: Publisher, Output: Sendable> =
    TryScan<Upstream, Output, Upstream.Failure>

  /// A stage that combines each value with the result so far and sends the new result.
  @frozen public struct ScanStage<Input: Sendable, Output: Sendable, Failure: Error>: Stage {
    @usableFromInline var result: Output
    @usableFromInline let next: @Sendable (Output, Input) throws(Failure) -> Output

    @inlinable
    init(_ initial: Output, _ next: @escaping @Sendable (Output, Input) throws(Failure) -> Output) {
      result = initial
      self.next = next
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Output> {
      result = try next(result, input)
      return .pass(result)
    }
  }
}
