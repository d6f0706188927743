extension Publisher {
  /// Sends values before this publisher's own.
  ///
  /// As ``prepend(_:)-(Previous)``, with values as arguments.
  ///
  /// ```marble
  /// source: --1--2--|
  /// prepend(8, 9)
  /// result: (89)-1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. This publisher gets the part that the values left
  ///   unserved.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream, which is subscribed only after the last of the values.
  /// - Delivery: On the thread of the request, then on the upstream's thread.
  @inlinable public func prepend(
    _ elements: Output...
  ) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> {
    prepend(elements)
  }

  /// Sends the elements of a sequence before this publisher's values.
  ///
  /// As ``prepend(_:)-(Previous)``, with a sequence.
  ///
  /// ```marble
  /// source: --1--2--|
  /// prepend([8, 9])
  /// result: (89)-1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. This publisher gets the part that the sequence
  ///   left unserved.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream, which is subscribed only after the last element.
  /// - Delivery: On the thread of the request, then on the upstream's thread.
  ///
  /// - Parameter elements: A sequence whose elements are pulled on request.
  @inlinable public func prepend<Elements: Sequence & Sendable>(
    _ elements: Elements
  ) -> Publishers.Concatenate<Publishers.Sequence<Elements, Failure>, Self>
  where Elements.Element == Output, Elements.Iterator: Sendable {
    prepend(Publishers.Sequence(sequence: elements))
  }

  /// Sends the values of another publisher before this one's.
  ///
  /// ```marble
  /// previous: --8-9|
  /// source:        --1--2--|
  /// prepend(previous)
  /// result:   --8-9--1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. This publisher gets the part that the previous one
  ///   left unserved.
  /// - Errors: The failure of the publisher that runs.
  /// - Completion: When this publisher finishes.
  /// - Cancellation: Cancels the publisher that runs. If that is the previous one, this one is not
  ///   subscribed.
  /// - Delivery: On the thread of the publisher that runs.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter previous: A publisher that must finish before this one is subscribed.
  @inlinable public func prepend<Previous: Publisher>(
    _ previous: Previous
  ) -> Publishers.Concatenate<Previous, Self>
  where Previous.Output == Output, Previous.Failure == Failure {
    Publishers.Concatenate(prefix: previous, suffix: self)
  }
}
