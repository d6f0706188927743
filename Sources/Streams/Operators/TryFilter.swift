extension Publisher {
  /// Lets only those values through that satisfy a predicate that may throw.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--4--|
  /// tryFilter { if $0 == 4 { throw Refused() }; return $0 != 2 }
  /// result: --1-----3--#
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter isIncluded: Runs for each value, where the publisher delivers.
  @_disfavoredOverload
  @inlinable public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.TryFilter<Self, any Error>
  {
    tryCompactMap { try isIncluded($0) ? $0 : nil }
  }

  /// As ``tryFilter(_:)``, with a closure that throws the stream's own failure type, which is kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.TryFilter<Self, Failure>
  {
    tryCompactMap { value throws(Failure) in try isIncluded(value) ? value : nil }
  }

  /// As ``tryFilter(_:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryFilter<NewFailure: Error>(
    _ isIncluded: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.TryFilter<Self, NewFailure> where Failure == Never {
    tryCompactMap { value throws(NewFailure) in try isIncluded(value) ? value : nil }
  }
}

extension Publishers {
  /// A publisher of the values that satisfy a predicate, which fails with what that throws.
  public typealias TryFilter<Upstream: Publisher, Failure: Error> =
    TryCompactMap<Upstream, Upstream.Output, Failure>
}
