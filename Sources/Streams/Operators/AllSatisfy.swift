extension Publisher {
  /// Tells whether all values satisfy a predicate.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// allSatisfy { $0 < 3 }
  /// result: --------(f|)
  /// f = false
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With false as soon as a value does not, whereupon the upstream is cancelled;
  ///   with true when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers, until the answer is
  ///   known.
  @inlinable public func allSatisfy(_ predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.AllSatisfy<Self, Failure>
  {
    through(Publishers.SearchFold<Output, Failure>(wanted: false, predicate))
  }

  /// Tells whether all values satisfy a predicate that may throw.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryAllSatisfy { if $0 == 2 { throw Refused() }; return true }
  /// result: -----#
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: With false as soon as a value does not, whereupon the upstream is cancelled;
  ///   with true when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers, until the answer is
  ///   known.
  @_disfavoredOverload
  @inlinable public func tryAllSatisfy(_ predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.AllSatisfy<Self, any Error>
  {
    Publishers.Folded(self, Publishers.SearchFold(wanted: false, predicate)) { $0 }
  }

  /// As ``tryAllSatisfy(_:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable
  public func tryAllSatisfy(_ predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.AllSatisfy<Self, Failure>
  {
    through(Publishers.SearchFold(wanted: false, predicate))
  }

  /// As ``tryAllSatisfy(_:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryAllSatisfy<NewFailure: Error>(
    _ predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.AllSatisfy<Self, NewFailure> where Failure == Never {
    Publishers.Folded(self, Publishers.SearchFold(wanted: false, predicate), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of whether all values satisfied a predicate.
  public typealias AllSatisfy<Upstream: Publisher, Failure: Error> =
    Folded<Upstream, SearchFold<Upstream.Output, Failure>>
}
