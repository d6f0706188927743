extension Publisher {
  /// Goes on with values once this publisher has finished.
  ///
  /// As ``append(_:)-(Next)``, with values written out.
  ///
  /// ```marble
  /// source: --1--2--|
  /// append(8, 9)
  /// result: --1--2--(89|)
  /// ```
  ///
  /// - Demand: The downstream's; the values are asked for what the upstream left unserved.
  /// - Errors: The upstream's failure.
  /// - Completion: After the last value.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand comes from.
  @inlinable public func append(
    _ elements: Output...
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
    append(elements)
  }

  /// Goes on with the elements of a sequence once this publisher has finished.
  ///
  /// As ``append(_:)-(Next)``, with a sequence.
  ///
  /// ```marble
  /// source: --1--2--|
  /// append([8, 9])
  /// result: --1--2--(89|)
  /// ```
  ///
  /// - Demand: The downstream's; the sequence is asked for what the upstream left unserved.
  /// - Errors: The upstream's failure.
  /// - Completion: After the last element.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand comes from.
  ///
  /// - Parameter elements: Pulled as they are asked for.
  @inlinable public func append<Elements: Sequence & Sendable>(
    _ elements: Elements
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<Elements, Failure>>
  where Elements.Element == Output, Elements.Iterator: Sendable {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Goes on with another publisher once this one has finished.
  ///
  /// ```marble
  /// source: --1--2--|
  /// next:           --8-9|
  /// append(next)
  /// result: --1--2----8-9|
  /// ```
  ///
  /// The next publisher is asked for what this one left unserved:
  ///
  /// ```marble
  /// source:        -1-2|
  /// source demand: 3
  /// next:              -8-9-|
  /// next demand:   ----1---1
  /// append(next)
  /// demand:        3-------1
  /// result:        -1-2-8--9|
  /// ```
  ///
  /// - Demand: The downstream's; the next publisher is asked for what this one left unserved.
  /// - Errors: The failure of whichever runs.
  /// - Completion: When the next publisher finishes.
  /// - Cancellation: Cancels whichever runs; the next is not subscribed any more.
  /// - Delivery: Where whichever runs delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter next: Subscribed when this publisher finishes.
  @inlinable public func append<Next: Publisher>(
    _ next: Next
  ) -> Publishers.Concatenate<Self, Next> where Next.Output == Output, Next.Failure == Failure {
    Publishers.Concatenate(prefix: self, suffix: next)
  }
}

extension Publishers {
  /// A publisher of one publisher's values, then of another's.
  @frozen public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
  where Suffix.Output == Prefix.Output, Suffix.Failure == Prefix.Failure {
    public typealias Output = Prefix.Output
    public typealias Failure = Prefix.Failure

    public let prefix: Prefix
    public let suffix: Suffix

    @inlinable public init(prefix: Prefix, suffix: Suffix) {
      self.prefix = prefix
      self.suffix = suffix
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      let relay = SubscriptionRelay.start(for: subscriber)
      relay.follow(prefix) { [suffix] completion in
        switch completion {
        case .finished: relay.followLast(suffix) { $0 }
        case .failure: relay.finish(completion)
        }
      }
    }
  }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}
