extension Publisher where Failure == Never {
  /// Gives a publisher that cannot fail a failure type, to fit beside one that can.
  ///
  /// ```marble
  /// source: --1--2--|
  /// setFailureType(to: Refused.self)
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: None.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter failureType: The type, for the compiler only.
  @inlinable public func setFailureType<NewFailure: Error>(
    to failureType: NewFailure.Type
  ) -> Publishers.SetFailureType<Self, NewFailure> {
    mapError(impossible)
  }
}

extension Publishers {
  /// A publisher that cannot fail, with a failure type all the same.
  public typealias SetFailureType<Upstream: Publisher, Failure: Error> = MapError<Upstream, Failure>
  where Upstream.Failure == Never
}
