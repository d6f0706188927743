extension Publisher {
  /// Tells whether one of the values satisfies a predicate.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// contains { $0 > 1 }
  /// result: -----(t|)
  /// t = true
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With true as soon as there is such a value, whereupon the upstream is cancelled;
  ///   with false when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers, until the answer is
  ///   known.
  @inlinable public func contains(where predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.ContainsWhere<Self, Failure>
  {
    through(Publishers.SearchFold<Output, Failure>(wanted: true, predicate))
  }

  /// Tells whether one of the values satisfies a predicate that may throw.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryContains { if $0 == 2 { throw Refused() }; return $0 > 2 }
  /// result: -----#
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: With true as soon as there is such a value, whereupon the upstream is cancelled;
  ///   with false when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers, until the answer is
  ///   known.
  @_disfavoredOverload
  @inlinable public func tryContains(where predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.ContainsWhere<Self, any Error>
  {
    Publishers.Folded(self, Publishers.SearchFold(wanted: true, predicate)) { $0 }
  }

  /// As ``tryContains(where:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable
  public func tryContains(where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.ContainsWhere<Self, Failure>
  {
    through(Publishers.SearchFold(wanted: true, predicate))
  }

  /// As ``tryContains(where:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryContains<NewFailure: Error>(
    where predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.ContainsWhere<Self, NewFailure> where Failure == Never {
    Publishers.Folded(self, Publishers.SearchFold(wanted: true, predicate), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of whether a value satisfied a predicate.
  public typealias ContainsWhere<Upstream: Publisher, Failure: Error> =
    Folded<Upstream, SearchFold<Upstream.Output, Failure>>

  /// Looks for a value for which a predicate says what is wanted, and passes on what it said.
  @frozen public struct SearchFold<Input: Sendable, Failure: Error>: Fold {
    @usableFromInline let wanted: Bool
    @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool
    @usableFromInline var isFound = false

    @inlinable init(wanted: Bool, _ predicate: @escaping @Sendable (Input) throws(Failure) -> Bool)
    {
      self.wanted = wanted
      self.predicate = predicate
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool {
      isFound = try predicate(input) == wanted
      return !isFound
    }

    @inlinable public mutating func result() throws(Failure) -> Bool? { isFound == wanted }
  }
}
