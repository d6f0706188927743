extension Publisher {
  /// Sends the first value and finishes.
  ///
  /// ```marble
  /// source:            --1--2--3--|
  /// source subscribed: ^-!
  /// first()
  /// result:            --(1|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, which also cancels the upstream, or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  @inlinable public func first() -> Publishers.First<Self> {
    prefix(1)
  }
}

extension Publishers {
  /// A publisher of the first value.
  public typealias First<Upstream: Publisher> = Output<Upstream>
}
