extension Publisher where Output: Comparable {
  /// Sends the largest value when the publisher finishes.
  ///
  /// If several values are equal, it sends the first of them.
  ///
  /// ```marble
  /// source: --2--1--3--|
  /// max()
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value; holds one value.
  @inlinable public func max() -> Publishers.Comparison<Self, Failure> {
    max { $0 < $1 }
  }
}

extension Publisher {
  /// Sends the largest value by a custom order when the publisher finishes.
  ///
  /// If several values are equal, it sends the first of them.
  ///
  /// ```marble
  /// source: --2--1--3--|
  /// max { $0 < $1 }
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value; holds one value.
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument goes
  ///   before the second, as for `sorted(by:)`.
  @inlinable public func max(by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool)
    -> Publishers.Comparison<Self, Failure>
  {
    Publishers.Comparison(
      through(Publishers.ComparisonFold<Output, Failure>(areInIncreasingOrder, takesLargest: true)))
  }

  /// Sends the largest value by a custom order that may throw, when the publisher finishes.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --2--1--3--|
  /// tryMax { if $0 == 3 || $1 == 3 { throw Refused() }; return $0 < $1 }
  /// result: --------#
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value; holds one value.
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument goes
  ///   before the second, as for `sorted(by:)`.
  @_disfavoredOverload
  @inlinable
  public func tryMax(by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool)
    -> Publishers.Comparison<Self, any Error>
  {
    Publishers.Comparison(
      Publishers.Folded(self, Publishers.ComparisonFold(areInIncreasingOrder, takesLargest: true)) {
        $0
      })
  }

  /// As ``tryMax(by:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable public func tryMax(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
  ) -> Publishers.Comparison<Self, Failure> {
    Publishers.Comparison(
      through(Publishers.ComparisonFold(areInIncreasingOrder, takesLargest: true)))
  }

  /// As ``tryMax(by:)``, for a publisher that cannot fail and a closure that throws a typed error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryMax<NewFailure: Error>(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws(NewFailure) -> Bool
  ) -> Publishers.Comparison<Self, NewFailure> where Failure == Never {
    Publishers.Comparison(
      Publishers.Folded(
        self, Publishers.ComparisonFold(areInIncreasingOrder, takesLargest: true),
        mapFailure: impossible))
  }
}
