extension Publisher {
  /// Passes on only the values that satisfy a predicate that may throw.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--4--|
  /// tryFilter { if $0 == 4 { throw Refused() }; return $0 != 2 }
  /// result: --1-----3--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter isIncluded: A closure that runs for each value, on the upstream's thread.
  @_disfavoredOverload
  @inlinable public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.TryFilter<Self, any Error>
  {
    Publishers.TryFilter(tryCompactMap { try isIncluded($0) ? $0 : nil })
  }

  /// As ``tryFilter(_:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.TryFilter<Self, Failure>
  {
    Publishers.TryFilter(
      tryCompactMap { value throws(Failure) in try isIncluded(value) ? value : nil })
  }

  /// As ``tryFilter(_:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryFilter<NewFailure: Error>(
    _ isIncluded: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.TryFilter<Self, NewFailure> where Failure == Never {
    Publishers.TryFilter(
      tryCompactMap { value throws(NewFailure) in try isIncluded(value) ? value : nil })
  }
}

extension Publishers {
  /// A publisher of the values that satisfy a predicate, which fails with the predicate's error.
  @frozen public struct TryFilter<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    @usableFromInline let base: TryCompactMap<Upstream, Upstream.Output, Failure>

    @inlinable init(_ base: TryCompactMap<Upstream, Upstream.Output, Failure>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }
}
