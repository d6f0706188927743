extension Publisher {
  /// Drops the first values.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// dropFirst(2)
  /// result: --------3--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter count: The number of values to drop. A negative number counts as zero.
  @inlinable public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    output(in: Swift.min(Swift.max(count, 0), .max - 1)...)
  }
}

extension Publishers {
  /// A publisher without the first values of its upstream.
  public typealias Drop<Upstream: Publisher> = Output<Upstream>
}
