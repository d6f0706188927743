extension Publisher {
  /// Sends values before this publisher's own.
  ///
  /// As ``prepend(_:)-(Previous)``, with values written out.
  ///
  /// ```marble
  /// source: --1--2--|
  /// prepend(8, 9)
  /// result: (89)-1--2--|
  /// ```
  ///
  /// - Demand: The downstream's; this publisher is asked for what the values left unserved.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream, which is subscribed after the last of the values.
  /// - Delivery: Where demand comes from, then where the upstream delivers.
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
  /// - Demand: The downstream's; this publisher is asked for what the sequence left unserved.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream, which is subscribed after the last element.
  /// - Delivery: Where demand comes from, then where the upstream delivers.
  ///
  /// - Parameter elements: Pulled as they are asked for.
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
  /// - Demand: The downstream's; this publisher is asked for what the previous one left unserved.
  /// - Errors: The failure of whichever runs.
  /// - Completion: When this publisher finishes.
  /// - Cancellation: Cancels whichever runs; this one is not subscribed any more.
  /// - Delivery: Where whichever runs delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter previous: Has to finish before this publisher is subscribed.
  @inlinable public func prepend<Previous: Publisher>(
    _ previous: Previous
  ) -> Publishers.Concatenate<Previous, Self>
  where Previous.Output == Output, Previous.Failure == Failure {
    Publishers.Concatenate(prefix: previous, suffix: self)
  }
}
