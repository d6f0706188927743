extension Publisher {
  /// Passes on the first values, up to a number, and finishes.
  ///
  /// ```marble
  /// source:            --1--2--3--|
  /// source subscribed: ^----!
  /// prefix(2)
  /// result:            --1--(2|)
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: With the last of them, without waiting for the upstream, which is cancelled; or
  ///   when the upstream finishes. At once, without subscribing to the upstream, if `maxLength` is
  ///   zero.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter maxLength: How many values at most; a negative number counts as zero.
  @inlinable public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    output(in: ..<Swift.max(maxLength, 0))
  }
}
