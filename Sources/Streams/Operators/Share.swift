extension Publisher {
  /// Shares one subscription among all subscribers.
  ///
  /// The first subscriber connects; the last to leave disconnects. Nothing is replayed: a late
  /// subscriber gets what comes after it, and one that has not asked for a value when it comes does
  /// not get it. Once the upstream has ended, the next subscriber connects anew, so that a retry
  /// below this reaches the source.
  ///
  /// ```marble
  /// source:          --1--2--3--|
  /// late subscribed: ---^
  /// share()
  /// result:          --1--2--3--|
  /// late result:     -----2--3--|
  /// ```
  ///
  /// The upstream is asked for everything; a subscriber misses what it has not asked for:
  ///
  /// ```marble
  /// source:        -1-2-3-|
  /// source demand: *
  /// share()
  /// demand:        1---1
  /// result:        -1---3-|
  /// ```
  ///
  /// - Demand: Everything of the upstream; a subscriber that has not asked for a value when it
  ///   comes does not get it.
  /// - Errors: The upstream's failure, to all.
  /// - Completion: When the upstream finishes, to all.
  /// - Cancellation: Leaves the connection; the last to leave cancels the upstream.
  /// - Delivery: Where the upstream delivers, in one order for all.
  /// - Complexity: O(subscribers) for each value.
  @inlinable public func share() -> Publishers.Share<Self> {
    makeConnectable().autoconnect()
  }
}

extension Publishers {
  /// A publisher that shares one subscription to its upstream among all its subscribers.
  public typealias Share<Upstream: Publisher> = Autoconnect<MakeConnectable<Upstream>>
}
