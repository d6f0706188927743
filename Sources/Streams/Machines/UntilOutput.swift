import Synchronization

extension Publishers {
  /// A publisher of the values that its upstream sends before, or after, another publisher's first
  /// value.
  @frozen public struct UntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure
    @usableFromInline package typealias MapEnd =
      @Sendable (Subscribers.Completion<Other.Failure>) -> Subscribers.Completion<Failure>?

    public let upstream: Upstream
    public let other: Other
    @usableFromInline let isPrefix: Bool
    @usableFromInline let mapEnd: MapEnd

    /// - Parameters:
    ///   - isPrefix: Whether the other publisher's value ends the stream. If false, it begins the
    ///     stream.
    ///   - mapEnd: A closure that returns the end of the stream if the other publisher ends first,
    ///     or nil for none.
    @inlinable package init(
      _ upstream: Upstream, other: Other, isPrefix: Bool, mapEnd: @escaping MapEnd
    ) {
      self.upstream = upstream
      self.other = other
      self.isPrefix = isPrefix
      self.mapEnd = mapEnd
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let driver = OutsideEnd(subscriber, isPassing: isPrefix)
      other.receive(
        subscriber: OutsideSignalSubscriber<Downstream, Other.Output, Other.Failure>(
          driver: driver,
          onValue: { [isPrefix] in
            if isPrefix {
              driver.close(.finished)
            } else {
              driver.isPassing.store(true, ordering: .releasing)
            }
          },
          onEnd: { [mapEnd] in if let end = mapEnd($0) { driver.close(end) } }))
      upstream.receive(subscriber: OutsideEndSubscriber(driver: driver, downstream: subscriber))
    }
  }
}
