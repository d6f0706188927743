extension Publisher {
  /// Holds everything back until ``ConnectablePublisher/connect()`` is called, then sends one
  /// subscription's values to all subscribers.
  ///
  /// ```marble
  /// source: --1--2--|
  /// makeConnectable().autoconnect()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Everything of the upstream; a subscriber that has not asked for a value when it
  ///   comes does not get it.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes; the next connection subscribes to it anew.
  /// - Cancellation: A subscriber's leaves the connection alone; that is cancelled by what
  ///   ``ConnectablePublisher/connect()`` returned.
  /// - Delivery: Where the upstream delivers, in one order for all subscribers.
  /// - Complexity: O(subscribers) for each value.
  @inlinable public func makeConnectable() -> Publishers.MakeConnectable<Self> {
    multicast { PassthroughSubject() }
  }
}

extension Publishers {
  /// A publisher that sends its upstream's values to all its subscribers, once it is connected.
  public typealias MakeConnectable<Upstream: Publisher> =
    Multicast<Upstream, PassthroughSubject<Upstream.Output, Upstream.Failure>>
}
