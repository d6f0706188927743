extension Publisher {
  /// Passes the first value on, and finishes.
  ///
  /// ```marble
  /// source:            --1--2--3--|
  /// source subscribed: ^-!
  /// first()
  /// result:            --(1|)
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, without waiting for the upstream, which is cancelled; or when
  ///   the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  @inlinable public func first() -> Publishers.First<Self> {
    prefix(1)
  }
}

extension Publishers {
  /// A publisher of the first value.
  public typealias First<Upstream: Publisher> = Output<Upstream>
}
