extension Publisher {
  /// Replaces each nil with a value.
  ///
  /// ```marble
  /// source: --1--n--3--|
  /// replaceNil(with: 0)
  /// result: --1--0--3--|
  /// n = nil
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: The value that replaces nil.
  @inlinable public func replaceNil<Value>(with output: Value) -> Publishers.Map<Self, Value>
  where Output == Value? {
    map { $0 ?? output }
  }
}
