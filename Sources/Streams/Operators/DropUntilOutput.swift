extension Publisher {
  /// Drops values until another publisher sends one, and passes on all later values.
  ///
  /// The operator subscribes to the other publisher first.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// other:  ------x
  /// drop(untilOutputFrom: other)
  /// result: --------3--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  ///   Requests one value from the other publisher.
  /// - Errors: The upstream's failure. Also the other publisher's failure, if it comes before its
  ///   first value.
  /// - Completion: When the upstream finishes, or when the other publisher finishes without a
  ///   value, since no value could pass then. The publisher that still runs is cancelled.
  /// - Cancellation: Cancels both publishers.
  /// - Delivery: On the upstream's thread. The completion may arrive on the other publisher's
  ///   thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter publisher: The publisher whose first value lets later values pass.
  @inlinable public func drop<Other: Publisher>(untilOutputFrom publisher: Other)
    -> Publishers.DropUntilOutput<Self, Other> where Other.Failure == Failure
  {
    Publishers.UntilOutput(self, other: publisher, isPrefix: false) { $0 }
  }
}

extension Publishers {
  /// A publisher of the values after another publisher's first value.
  public typealias DropUntilOutput<Upstream: Publisher, Other: Publisher> =
    UntilOutput<Upstream, Other>
  where Other.Failure == Upstream.Failure
}
