import Synchronization

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
  @inlinable
  public func drop<Other: Publisher>(untilOutputFrom publisher: Other)
    -> Publishers.DropUntilOutput<Self, Other> where Other.Failure == Failure
  {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {
  /// A publisher of the values after another publisher's first.
  @frozen
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Other.Failure == Upstream.Failure {
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
      let isPassing = Flag()
      other.receive(
        subscriber: OutsideSignalSubscriber<Downstream, Other.Output, Other.Failure>(
          driver: driver, onValue: { isPassing.raise() }, onEnd: { driver.close($0) }))
      upstream.receive(
        subscriber: OutsideEndSubscriber(
          driver: driver, downstream: subscriber, isPassing: { isPassing.isRaised }))
    }
  }
}

/// Something that becomes true once, on any thread.
@usableFromInline
final class Flag: Sendable {
  @usableFromInline let mark = LiveMark(.flag)
  @usableFromInline let state = Atomic<Bool>(false)

  @inlinable init() {}
  @inlinable var isRaised: Bool { state.load(ordering: .acquiring) }
  @inlinable func raise() { state.store(true, ordering: .releasing) }
}
