extension Publisher {
  /// Shares one subscription among all subscribers.
  ///
  /// The first subscriber connects, and the last one to leave disconnects. Nothing is replayed: a
  /// late subscriber gets only later values. A subscriber that has no demand when a value arrives
  /// does not get that value. After the upstream has ended, the next subscriber connects again, so
  /// a retry below this operator reaches the source.
  ///
  /// ```marble
  /// source:          --1--2--3--|
  /// late subscribed: ---^
  /// share()
  /// result:          --1--2--3--|
  /// late result:     -----2--3--|
  /// ```
  ///
  /// The upstream gets unlimited demand. A subscriber misses the values that it has not requested:
  ///
  /// ```marble
  /// source:        -1-2-3-|
  /// source demand: *
  /// share()
  /// demand:        1---1
  /// result:        -1---3-|
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. A subscriber that has no demand when a value
  ///   arrives does not get that value.
  /// - Errors: The upstream's failure, for all subscribers.
  /// - Completion: When the upstream finishes, for all subscribers.
  /// - Cancellation: Leaves the connection. The last subscriber to leave cancels the upstream.
  /// - Delivery: On the upstream's thread, in the same order for all subscribers.
  /// - Complexity: O(subscribers) for each value.
  @inlinable public func share() -> Publishers.Share<Self> {
    makeConnectable().autoconnect()
  }
}

extension Publishers {
  /// A publisher that shares one subscription to its upstream among all its subscribers.
  public typealias Share<Upstream: Publisher> = Autoconnect<MakeConnectable<Upstream>>
}
