extension Publisher {
  /// Sends values until another publisher sends one, and then finishes.
  ///
  /// The operator subscribes to the other publisher first. If the other publisher ends without a
  /// value, the upstream continues.
  ///
  /// ```marble
  /// source:            --1--2--3--|
  /// source subscribed: ^-----!
  /// other:             ------x
  /// prefix(untilOutputFrom: other)
  /// result:            --1--2|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. Requests one value from the other publisher.
  /// - Errors: The upstream's failure. The other publisher's failure is ignored.
  /// - Completion: When the other publisher sends a value, or when the upstream finishes. The
  ///   publisher that still runs is cancelled.
  /// - Cancellation: Cancels both publishers.
  /// - Delivery: On the upstream's thread. The completion may arrive on the other publisher's
  ///   thread, after a value in flight.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter publisher: The publisher whose first value ends the stream.
  @inlinable public func prefix<Other: Publisher>(untilOutputFrom publisher: Other)
    -> Publishers.PrefixUntilOutput<Self, Other>
  {
    Publishers.UntilOutput(self, other: publisher, isPrefix: true) { _ in nil }
  }
}

extension Publishers {
  /// A publisher of the values before another publisher's first value.
  public typealias PrefixUntilOutput<Upstream: Publisher, Other: Publisher> =
    UntilOutput<Upstream, Other>
}
