extension Publishers {
  /// A publisher of a sequence's elements, followed by the end.
  ///
  /// Each subscriber gets its own iterator. Elements are pulled on request, one ahead, so the end
  /// arrives with the last element.
  ///
  /// ```marble
  /// Publishers.Sequence(["a", "b"])
  /// result: (ab|)
  /// ```
  ///
  /// - Demand: One element for each requested value.
  /// - Errors: None.
  /// - Completion: Right after the last element. An empty sequence finishes at once, without
  ///   demand.
  /// - Cancellation: Releases the iterator.
  /// - Delivery: On the thread of the request.
  /// - Complexity: O(1) for each element, without a lock or an allocation.
  @frozen public struct Sequence<Elements: Swift.Sequence & Sendable, Failure: Error>: Publisher
  where Elements.Element: Sendable, Elements.Iterator: Sendable {
    public typealias Output = Elements.Element

    public let sequence: Elements

    @inlinable public init(sequence: Elements) {
      self.sequence = sequence
    }

    /// Creates a publisher that cannot fail.
    ///
    /// Unlike ``Swift/Sequence/publisher``, it is never ambiguous beside Combine, which Foundation
    /// and Dispatch load on Apple's systems.
    @inlinable public init(_ sequence: Elements) where Failure == Never {
      self.sequence = sequence
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      PullSubscription.start(sequence.makeIterator(), for: subscriber)
    }
  }
}

extension Publishers.Sequence: BarePublisher where Elements: Collection {
  @usableFromInline var endsAtOnce: Bool { sequence.isEmpty }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Sequence where Self: Sendable, Element: Sendable, Iterator: Sendable {
  /// A publisher of this sequence's elements.
  @inlinable public var publisher: Publishers.Sequence<Self, Never> {
    Publishers.Sequence(sequence: self)
  }
}
