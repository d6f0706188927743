extension Publisher {
  /// Combines all values into one and sends it when the publisher finishes.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// reduce(0, +)
  /// result: -----------(6|)
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the result, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - initialResult: The value that the first value is combined with. It is also the result if
  ///     there are no values.
  ///   - nextPartialResult: A closure that combines the result so far with the next value.
  @inlinable public func reduce<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Output) -> Result
  ) -> Publishers.Reduce<Self, Result> {
    Publishers.TryReduce(
      through(Publishers.ReduceFold<Output, Result, Failure>(initialResult, nextPartialResult)))
  }
}

extension Publishers {
  /// A publisher of all values combined into one.
  public typealias Reduce<Upstream: Publisher, Output: Sendable> =
    TryReduce<Upstream, Output, Upstream.Failure>

  /// A fold that combines each value with the result so far.
  @frozen public struct ReduceFold<Input: Sendable, Output: Sendable, Failure: Error>: Fold {
    @usableFromInline var value: Output
    @usableFromInline let next: @Sendable (Output, Input) throws(Failure) -> Output

    @inlinable
    init(_ initial: Output, _ next: @escaping @Sendable (Output, Input) throws(Failure) -> Output) {
      value = initial
      self.next = next
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool {
      value = try next(value, input)
      return true
    }

    @inlinable public mutating func result() throws(Failure) -> Output? { value }
  }
}
