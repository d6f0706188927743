extension Sequence where Self: Sendable, Element: Publisher, Iterator: Sendable {
  /// Passes on the values of these publishers one publisher after another.
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
  /// - Demand: The downstream's; each publisher is asked for what those before it left unserved.
  /// - Errors: The failure of whichever runs; those after it are not subscribed.
  /// - Completion: When the last finishes; at once if there is none.
  /// - Cancellation: Cancels whichever runs; those after it are not subscribed.
  /// - Delivery: Where whichever runs delivers.
  /// - Complexity: O(1) for each value.
  @inlinable public func concatenated() -> Publishers.Concat<Self> {
    Publishers.Concat(publishers: self)
  }
}

extension Publishers {
  /// A publisher of the values of publishers, one after another.
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

/// Subscribes the publishers of an iterator one after another: steps of a loop, not calls in calls.
@usableFromInline
final class ConcatDriver<Publishers: IteratorProtocol & Sendable, Downstream: Subscriber>: Sendable
where
  Publishers.Element: Publisher, Publishers.Element.Output == Downstream.Input,
  Publishers.Element.Failure == Downstream.Failure
{
  @usableFromInline let mark = LiveMark(.concatDriver)
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
