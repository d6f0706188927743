extension Sequence where Self: Sendable, Element: Publisher, Iterator: Sendable {
  /// Sends the values of these publishers, one publisher after another.
  ///
  /// The sequence is iterated as publishers finish, so it may be endless. The stack does not grow
  /// with the number of publishers.
  ///
  /// ```marble
  /// a:      -1--2|
  /// b:           --3|
  /// [a, b].concatenated()
  /// result: -1--2--3|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. Each publisher gets the part that the previous
  ///   ones left unserved.
  /// - Errors: The failure of the publisher that runs. Later publishers are not subscribed.
  /// - Completion: When the last publisher finishes, or at once if there is none.
  /// - Cancellation: Cancels the publisher that runs. Later publishers are not subscribed.
  /// - Delivery: On the thread of the publisher that runs.
  /// - Complexity: O(1) for each value.
  @inlinable public func concatenated() -> Publishers.Concat<Self> {
    Publishers.Concat(publishers: self)
  }
}

extension Publishers {
  /// A publisher of the values of several publishers, one publisher after another.
  @frozen public struct Concat<Elements: Swift.Sequence & Sendable>: Publisher
  where Elements.Element: Publisher, Elements.Iterator: Sendable {
    public typealias Output = Elements.Element.Output
    public typealias Failure = Elements.Element.Failure

    public let publishers: Elements

    @inlinable public init(publishers: Elements) {
      self.publishers = publishers
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      ConcatDriver(publishers.makeIterator(), relay: .start(for: subscriber)).step()
    }
  }
}

/// A driver that subscribes to the publishers of an iterator one after another, as steps of a loop.
@usableFromInline
final class ConcatDriver<Publishers: IteratorProtocol & Sendable, Downstream: Subscriber>: Sendable
where
  Publishers.Element: Publisher, Publishers.Element.Output == Downstream.Input,
  Publishers.Element.Failure == Downstream.Failure
{
  @usableFromInline let mark = LeakMark("concatDriver")
  @usableFromInline let publishers: Confined<Publishers>
  @usableFromInline let relay: SubscriptionRelay<Downstream>

  @inlinable init(_ publishers: Publishers, relay: SubscriptionRelay<Downstream>) {
    self.publishers = Confined(publishers)
    self.relay = relay
  }

  @inlinable func step() {
    relay.driver.trampoline.run {
      guard let source = relay.nextSource() else { return }
      guard let next = publishers.access({ $0.next() }) ?? nil else {
        relay.finish(.finished)
        return
      }
      next.receive(
        subscriber: RelaySubscriber(source: source) { [self] completion in
          switch completion {
          case .finished: step()
          case .failure: relay.finish(completion)
          }
        })
    }
  }
}
