extension Publisher where Output: Comparable {
  /// Passes the largest value on when the publisher finishes.
  ///
  /// Of several that are equal, it is the first.
  ///
  /// ```marble
  /// source: --2--1--3--|
  /// max()
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value; holds one.
  @inlinable public func max() -> Publishers.Comparison<Self, Failure> {
    max { $0 < $1 }
  }
}

extension Publisher {
  /// Passes the largest value on, by an order of your own, when the publisher finishes.
  ///
  /// Of several that are equal, it is the first.
  ///
  /// ```marble
  /// source: --2--1--3--|
  /// max { $0 < $1 }
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value; holds one.
  ///
  /// - Parameter areInIncreasingOrder: Whether the first value goes before the second, as for
  ///   `sorted(by:)`.
  @inlinable public func max(by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool)
    -> Publishers.Comparison<Self, Failure>
  {
    through(Publishers.ComparisonFold<Output, Failure>(areInIncreasingOrder, takesLargest: true))
  }

  /// Passes the largest value on, by an order whose closure may throw, when the publisher finishes.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --2--1--3--|
  /// tryMax { if $0 == 3 || $1 == 3 { throw Refused() }; return $0 < $1 }
  /// result: --------#
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value; holds one.
  ///
  /// - Parameter areInIncreasingOrder: Whether the first value goes before the second, as for
  ///   `sorted(by:)`.
  @_disfavoredOverload
  @inlinable
  public func tryMax(by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool)
    -> Publishers.Comparison<Self, any Error>
  {
    Publishers.Folded(self, Publishers.ComparisonFold(areInIncreasingOrder, takesLargest: true)) {
      $0
    }
  }

  /// As ``tryMax(by:)``, with a closure that throws the stream's own failure type, which is kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable public func tryMax(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
  ) -> Publishers.Comparison<Self, Failure> {
    through(Publishers.ComparisonFold(areInIncreasingOrder, takesLargest: true))
  }

  /// As ``tryMax(by:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryMax<NewFailure: Error>(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws(NewFailure) -> Bool
  ) -> Publishers.Comparison<Self, NewFailure> where Failure == Never {
    Publishers.Folded(
      self, Publishers.ComparisonFold(areInIncreasingOrder, takesLargest: true),
      mapFailure: impossible)
  }
}
