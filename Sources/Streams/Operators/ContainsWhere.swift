extension Publisher {
  /// Publishes whether one of the values satisfies a predicate.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// contains { $0 > 1 }
  /// result: -----(t|)
  /// t = true
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With true at the first such value, which also cancels the upstream. With false
  ///   when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread, until the
  ///   result is known.
  @inlinable public func contains(where predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.ContainsWhere<Self, Failure>
  {
    Publishers.ContainsWhere(
      through(Publishers.SearchFold<Output, Failure>(wanted: true, predicate)))
  }

  /// Publishes whether one of the values satisfies a predicate that may throw.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryContains { if $0 == 2 { throw Refused() }; return $0 > 2 }
  /// result: -----#
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: With true at the first such value, which also cancels the upstream. With false
  ///   when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread, until the
  ///   result is known.
  @_disfavoredOverload
  @inlinable public func tryContains(where predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.ContainsWhere<Self, any Error>
  {
    Publishers.ContainsWhere(
      Publishers.Folded(self, Publishers.SearchFold(wanted: true, predicate)) { $0 })
  }

  /// As ``tryContains(where:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable
  public func tryContains(where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.ContainsWhere<Self, Failure>
  {
    Publishers.ContainsWhere(through(Publishers.SearchFold(wanted: true, predicate)))
  }

  /// As ``tryContains(where:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryContains<NewFailure: Error>(
    where predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.ContainsWhere<Self, NewFailure> where Failure == Never {
    Publishers.ContainsWhere(
      Publishers.Folded(
        self, Publishers.SearchFold(wanted: true, predicate), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of one Boolean value: whether a value satisfied a predicate.
  @frozen public struct ContainsWhere<Upstream: Publisher, Failure: Error>: Publisher {
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

  /// A fold that searches for a value with the wanted predicate result, and sends the answer.
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
