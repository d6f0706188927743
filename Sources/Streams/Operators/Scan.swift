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
  @inlinable public func scan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) -> Result
  ) -> Publishers.Scan<Self, Result> {
    through(Publishers.ScanStage<Output, Result, Failure>(initialResult, nextPartialResult))
  }
}

extension Publishers {
  /// A publisher of intermediate results.
  public typealias Scan<Upstream: Publisher, Output: Sendable> =
    TryScan<Upstream, Output, Upstream.Failure>

  /// Combines each value with the result so far, and passes on the new one.
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
