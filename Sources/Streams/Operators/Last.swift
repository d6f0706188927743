extension Publisher {
  /// Sends the last value when the publisher finishes.
  ///
  /// A failure discards the value.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// last()
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value; holds one value.
  @inlinable public func last() -> Publishers.Last<Self> {
    last { _ in true }
  }
}

extension Publishers {
  /// A publisher of the last value.
  public typealias Last<Upstream: Publisher> = LastWhere<Upstream, Upstream.Failure>
}
