extension Publisher {
  /// Passes the last value on that satisfies a predicate, when the publisher finishes.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// last { $0 < 3 }
  /// result: -----------(2|)
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value; holds one.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers.
  @inlinable public func last(where predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.LastWhere<Self, Failure>
  {
    through(Publishers.LastWhereFold<Output, Failure>(predicate))
  }

  /// Passes the last value on that satisfies a predicate that may throw, when the publisher
  /// finishes.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryLast { if $0 == 3 { throw Refused() }; return true }
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
  /// - Parameter predicate: Runs for each value, where the publisher delivers.
  @_disfavoredOverload
  @inlinable public func tryLast(where predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.LastWhere<Self, any Error>
  {
    Publishers.Folded(self, Publishers.LastWhereFold(predicate)) { $0 }
  }

  /// As ``tryLast(where:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  @inlinable
  public func tryLast(where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.LastWhere<Self, Failure>
  {
    through(Publishers.LastWhereFold(predicate))
  }

  /// As ``tryLast(where:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Errors: What the closure throws, in its own type.
  @_disfavoredOverload
  @inlinable public func tryLast<NewFailure: Error>(
    where predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.LastWhere<Self, NewFailure> where Failure == Never {
    Publishers.Folded(self, Publishers.LastWhereFold(predicate), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of the last value that satisfies a predicate.
  public typealias LastWhere<Upstream: Publisher, Failure: Error> =
    Folded<Upstream, LastWhereFold<Upstream.Output, Failure>>

  /// Keeps the latest value that satisfies the predicate.
  @frozen public struct LastWhereFold<Input: Sendable, Failure: Error>: Fold {
    @usableFromInline var last: Input?
    @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool

    @inlinable init(_ predicate: @escaping @Sendable (Input) throws(Failure) -> Bool) {
      self.predicate = predicate
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool {
      if try predicate(input) { last = input }
      return true
    }

    @inlinable public mutating func result() throws(Failure) -> Input? { last.take() }
  }
}
