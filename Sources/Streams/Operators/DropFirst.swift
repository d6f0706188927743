extension Publisher {
  /// Drops the first values.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// dropFirst(2)
  /// result: --------3--|
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter count: How many values; a negative number counts as zero.
  @inlinable public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    output(in: Swift.min(Swift.max(count, 0), .max - 1)...)
  }
}

extension Publishers {
  /// A publisher without the first values of its upstream.
  public typealias Drop<Upstream: Publisher> = Output<Upstream>
}
