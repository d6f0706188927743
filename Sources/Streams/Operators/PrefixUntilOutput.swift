extension Publisher {
  /// Passes values on until another publisher sends one, then finishes.
  ///
  /// Subscribes to the other publisher first. If that ends without a value, the upstream goes on.
  ///
  /// ```marble
  /// source:            --1--2--3--|
  /// source subscribed: ^-----!
  /// other:             ------x
  /// prefix(untilOutputFrom: other)
  /// result:            --1--2|
  /// ```
  ///
  /// - Demand: The downstream's; asks the other publisher for one value.
  /// - Errors: The upstream's failure; the other publisher's is ignored.
  /// - Completion: When the other publisher sends a value, or when the upstream finishes; what
  ///   still runs is cancelled.
  /// - Cancellation: Cancels both publishers.
  /// - Delivery: Where the upstream delivers; the end may come where the other publisher delivers,
  ///   after a value that is under way.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter publisher: What ends the stream with its first value.
  @inlinable public func prefix<Other: Publisher>(untilOutputFrom publisher: Other)
    -> Publishers.PrefixUntilOutput<Self, Other>
  {
    Publishers.UntilOutput(self, other: publisher, isPrefix: true) { _ in nil }
  }
}

extension Publishers {
  /// A publisher of the values before another publisher's first.
  public typealias PrefixUntilOutput<Upstream: Publisher, Other: Publisher> =
    UntilOutput<Upstream, Other>
}
