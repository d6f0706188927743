extension Publisher {
  /// Sends the first values, up to a number, and finishes.
  ///
  /// ```marble
  /// source:            --1--2--3--|
  /// source subscribed: ^----!
  /// prefix(2)
  /// result:            --1--(2|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the last of these values, which also cancels the upstream, or when the
  ///   upstream finishes. At once, without subscribing to the upstream, if `maxLength` is zero.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter maxLength: The maximum number of values. A negative number counts as zero.
  @inlinable public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    output(in: ..<Swift.max(maxLength, 0))
  }
}
