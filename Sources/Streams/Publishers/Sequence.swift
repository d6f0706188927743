extension Publishers {
  /// A publisher of a sequence's elements, then the end.
  ///
  /// Each subscriber gets an iterator of its own. Elements are pulled as they are asked for, one
  /// ahead, so that the end arrives with the last element.
  ///
  /// ```marble
  /// ["a", "b"].publisher
  /// result: (ab|)
  /// ```
  ///
  /// - Demand: One element for each value asked for.
  /// - Errors: None.
  /// - Completion: Right after the last element; at once, without demand, of an empty sequence.
  /// - Cancellation: Releases the iterator.
  /// - Delivery: Where demand comes.
  /// - Complexity: O(1) for each element, without a lock or an allocation.
  @frozen public struct Sequence<Elements: Swift.Sequence & Sendable, Failure: Error>: Publisher
  where Elements.Element: Sendable, Elements.Iterator: Sendable {
    public typealias Output = Elements.Element

    public let sequence: Elements

    @inlinable public init(sequence: Elements) {
      self.sequence = sequence
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      PullSubscription.start(sequence.makeIterator(), for: subscriber)
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Sequence where Self: Sendable, Element: Sendable, Iterator: Sendable {
  /// This sequence as a publisher of its elements.
  @inlinable public var publisher: Publishers.Sequence<Self, Never> {
    Publishers.Sequence(sequence: self)
  }
}
