extension Publisher where Failure == Never {
  /// Gives a failure type to a publisher that cannot fail, to match another publisher.
  ///
  /// ```marble
  /// source: --1--2--|
  /// setFailureType(to: Refused.self)
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: None.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter failureType: The failure type, which only the compiler uses.
  @inlinable public func setFailureType<NewFailure: Error>(
    to failureType: NewFailure.Type
  ) -> Publishers.SetFailureType<Self, NewFailure> {
    mapError(impossible)
  }
}

extension Publishers {
  /// A publisher that cannot fail, but has a failure type.
  public typealias SetFailureType<Upstream: Publisher, Failure: Error> = MapError<Upstream, Failure>
  where Upstream.Failure == Never
}
