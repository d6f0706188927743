extension Publisher {
  /// Sends values after this publisher has finished.
  ///
  /// As ``append(_:)-(Next)``, with values as arguments.
  ///
  /// ```marble
  /// source: --1--2--|
  /// append(8, 9)
  /// result: --1--2--(89|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. The values get the part that the upstream left
  ///   unserved.
  /// - Errors: The upstream's failure.
  /// - Completion: After the last value.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of the request.
  @inlinable public func append(
    _ elements: Output...
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
    append(elements)
  }

  /// Sends the elements of a sequence after this publisher has finished.
  ///
  /// As ``append(_:)-(Next)``, with a sequence.
  ///
  /// ```marble
  /// source: --1--2--|
  /// append([8, 9])
  /// result: --1--2--(89|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. The sequence gets the part that the upstream left
  ///   unserved.
  /// - Errors: The upstream's failure.
  /// - Completion: After the last element.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of the request.
  ///
  /// - Parameter elements: A sequence whose elements are pulled on request.
  @inlinable public func append<Elements: Sequence & Sendable>(
    _ elements: Elements
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<Elements, Failure>>
  where Elements.Element == Output, Elements.Iterator: Sendable {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Continues with another publisher after this one has finished.
  ///
  /// ```marble
  /// source: --1--2--|
  /// next:           --8-9|
  /// append(next)
  /// result: --1--2----8-9|
  /// ```
  ///
  /// The next publisher gets the demand that this one left unserved:
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
  /// - Demand: Forwards the downstream's demand. The next publisher gets the part that this one
  ///   left unserved.
  /// - Errors: The failure of the publisher that runs.
  /// - Completion: When the next publisher finishes.
  /// - Cancellation: Cancels the publisher that runs. The next one is then not subscribed.
  /// - Delivery: On the thread of the publisher that runs.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter next: A publisher that is subscribed when this one finishes.
  @inlinable public func append<Next: Publisher>(
    _ next: Next
  ) -> Publishers.Concatenate<Self, Next> where Next.Output == Output, Next.Failure == Failure {
    Publishers.Concatenate(prefix: self, suffix: next)
  }
}

extension Publishers {
  /// A publisher of the values of one publisher, followed by those of another.
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
