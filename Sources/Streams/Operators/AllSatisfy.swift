extension Publisher {
  /// Publishes whether all values satisfy a predicate.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// allSatisfy { $0 < 3 }
  /// result: --------(f|)
  /// f = false
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With false at the first value that does not satisfy the predicate, which also
  ///   cancels the upstream. With true when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread, until the
  ///   result is known.
  @inlinable public func allSatisfy(_ predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.AllSatisfy<Self, Failure>
  {
    Publishers.AllSatisfy(through(Publishers.SearchFold<Output, Failure>(wanted: false, predicate)))
  }

  /// Publishes whether all values satisfy a predicate that may throw.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryAllSatisfy { if $0 == 2 { throw Refused() }; return true }
  /// result: -----#
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: With false at the first value that does not satisfy the predicate, which also
  ///   cancels the upstream. With true when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread, until the
  ///   result is known.
  @_disfavoredOverload
  @inlinable public func tryAllSatisfy(_ predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.AllSatisfy<Self, any Error>
  {
    Publishers.AllSatisfy(
      Publishers.Folded(self, Publishers.SearchFold(wanted: false, predicate)) { $0 })
  }

  /// As ``tryAllSatisfy(_:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable
  public func tryAllSatisfy(_ predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.AllSatisfy<Self, Failure>
  {
    Publishers.AllSatisfy(through(Publishers.SearchFold(wanted: false, predicate)))
  }

  /// As ``tryAllSatisfy(_:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryAllSatisfy<NewFailure: Error>(
    _ predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.AllSatisfy<Self, NewFailure> where Failure == Never {
    Publishers.AllSatisfy(
      Publishers.Folded(
        self, Publishers.SearchFold(wanted: false, predicate), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of one Boolean value: whether all values satisfied a predicate.
  @frozen public struct AllSatisfy<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Bool

    @usableFromInline let base: Folded<Upstream, SearchFold<Upstream.Output, Failure>>

    @inlinable init(_ base: Folded<Upstream, SearchFold<Upstream.Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }
}
