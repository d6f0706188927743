extension Publisher {
  /// Puts a value in the place of a failure, then finishes.
  ///
  /// ```marble
  /// source: --1--2--#
  /// replaceError(with: 0)
  /// result: --1--2--(0|)
  /// ```
  ///
  /// - Demand: The downstream's; the value in place of a failure waits for demand.
  /// - Errors: None.
  /// - Completion: When the upstream finishes, or after the value in place of its failure.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the value comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: What stands for a failure.
  @inlinable public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    `catch` { _ in Just(output) }
  }
}

extension Publishers {
  /// A publisher that ends with a value where its upstream fails.
  ///
  /// The value waits for demand like any other.
  public typealias ReplaceError<Upstream: Publisher> = Catch<Upstream, Just<Upstream.Output>>
}
