extension Publisher {
  /// Replaces a failure with a value and finishes.
  ///
  /// ```marble
  /// source: --1--2--#
  /// replaceError(with: 0)
  /// result: --1--2--(0|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. The replacement value waits for demand.
  /// - Errors: None.
  /// - Completion: When the upstream finishes, or after the value that replaces its failure.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the value.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: The value that replaces a failure.
  @inlinable public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    `catch` { _ in Just(output) }
  }
}

extension Publishers {
  /// A publisher that replaces its upstream's failure with a value.
  ///
  /// The value waits for demand like any other.
  public typealias ReplaceError<Upstream: Publisher> = Catch<Upstream, Just<Upstream.Output>>
}
