extension Publisher {
  /// Puts a value in the place of each nil.
  ///
  /// ```marble
  /// source: --1--n--3--|
  /// replaceNil(with: 0)
  /// result: --1--0--3--|
  /// n = nil
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: What stands for nil.
  @inlinable public func replaceNil<Value>(with output: Value) -> Publishers.Map<Self, Value>
  where Output == Value? {
    map { $0 ?? output }
  }
}
