extension Publisher {
  /// Drops values until another publisher sends one; all after that pass.
  ///
  /// Subscribes to the other publisher first.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// other:  ------x
  /// drop(untilOutputFrom: other)
  /// result: --------3--|
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped; asks the other publisher
  ///   for one value.
  /// - Errors: The upstream's failure, and the other publisher's if it comes before its first
  ///   value.
  /// - Completion: When the upstream finishes, or when the other publisher finishes without a
  ///   value, so that none could ever pass; what still runs is cancelled.
  /// - Cancellation: Cancels both publishers.
  /// - Delivery: Where the upstream delivers; the end may come where the other publisher delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter publisher: What lets values through with its first value.
  @inlinable public func drop<Other: Publisher>(untilOutputFrom publisher: Other)
    -> Publishers.DropUntilOutput<Self, Other> where Other.Failure == Failure
  {
    Publishers.UntilOutput(self, other: publisher, isPrefix: false) { $0 }
  }
}

extension Publishers {
  /// A publisher of the values after another publisher's first.
  public typealias DropUntilOutput<Upstream: Publisher, Other: Publisher> =
    UntilOutput<Upstream, Other>
  where Other.Failure == Upstream.Failure
}
