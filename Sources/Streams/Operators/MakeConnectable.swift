extension Publisher {
  /// Sends one subscription's values to all subscribers, but nothing before a call of
  /// ``ConnectablePublisher/connect()``.
  ///
  /// ```marble
  /// source: --1--2--|
  /// makeConnectable().autoconnect()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. A subscriber that has no demand when a value
  ///   arrives does not get that value.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes. The next connection subscribes to the upstream
  ///   again.
  /// - Cancellation: A subscriber's cancel does not end the connection. The cancellable from
  ///   ``ConnectablePublisher/connect()`` does.
  /// - Delivery: On the upstream's thread, in the same order for all subscribers.
  /// - Complexity: O(subscribers) for each value.
  @inlinable public func makeConnectable() -> Publishers.MakeConnectable<Self> {
    multicast { PassthroughSubject() }
  }
}

extension Publishers {
  /// A publisher that sends its upstream's values to all its subscribers after it is connected.
  public typealias MakeConnectable<Upstream: Publisher> =
    Multicast<Upstream, PassthroughSubject<Upstream.Output, Upstream.Failure>>
}
