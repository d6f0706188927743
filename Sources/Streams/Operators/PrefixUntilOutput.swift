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
  @inlinable
  public func prefix<Other: Publisher>(untilOutputFrom publisher: Other)
    -> Publishers.PrefixUntilOutput<Self, Other>
  {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {
  /// A publisher of the values before another publisher's first.
  @frozen
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let other: Other

    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let driver = OutsideEnd(subscriber)
      other.receive(
        subscriber: OutsideSignalSubscriber<Downstream, Other.Output, Other.Failure>(
          driver: driver, onValue: { driver.close(.finished) }, onEnd: { _ in }))
      upstream.receive(
        subscriber: OutsideEndSubscriber(
          driver: driver, downstream: subscriber, isPassing: { true }))
    }
  }
}
