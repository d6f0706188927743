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
  @inlinable
  public func contains(where predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.ContainsWhere<Self, Failure>
  {
    Publishers.ContainsWhere<Self, Failure>(
      upstream: self, mapFailure: { $0 }, predicate: predicate)
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
  @inlinable
  public func tryContains(where predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.ContainsWhere<Self, any Error>
  {
    Publishers.ContainsWhere(upstream: self, mapFailure: { $0 }, predicate: predicate)
  }

  /// As ``tryContains(where:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  /// - Completion: With true as soon as there is such a value, whereupon the upstream is cancelled;
  ///   with false when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers, until the answer is
  ///   known.
  @inlinable
  public func tryContains(where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.ContainsWhere<Self, Failure>
  {
    Publishers.ContainsWhere(upstream: self, mapFailure: { $0 }, predicate: predicate)
  }
}

extension Publisher where Failure == Never {
  /// As ``tryContains(where:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: What the closure throws, in its own type.
  /// - Completion: With true as soon as there is such a value, whereupon the upstream is cancelled;
  ///   with false when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers, until the answer is
  ///   known.
  @inlinable
  public func tryContains<NewFailure: Error>(
    where predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.ContainsWhere<Self, NewFailure> {
    Publishers.ContainsWhere(upstream: self, mapFailure: impossible, predicate: predicate)
  }
}

extension Publishers {
  /// A publisher of whether a value satisfied a predicate.
  @frozen
  public struct ContainsWhere<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Bool

    public let upstream: Upstream
    @usableFromInline let mapFailure: @Sendable (Upstream.Failure) -> Failure
    public let predicate: @Sendable (Upstream.Output) throws(Failure) -> Bool

    @inlinable
    init(
      upstream: Upstream, mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
      predicate: @escaping @Sendable (Upstream.Output) throws(Failure) -> Bool
    ) {
      self.upstream = upstream
      self.mapFailure = mapFailure
      self.predicate = predicate
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fold = SearchFold(wanted: true, predicate: predicate)
      upstream.receive(
        subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: mapFailure))
    }
  }
}

/// Looks for a value for which a predicate says what is wanted, and passes on what it said.
@frozen
@usableFromInline
struct SearchFold<Input: Sendable, Failure: Error>: Fold {
  @usableFromInline let wanted: Bool
  @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool
  @usableFromInline var isFound: Bool = false

  @inlinable
  init(wanted: Bool, predicate: @escaping @Sendable (Input) throws(Failure) -> Bool) {
    self.wanted = wanted
    self.predicate = predicate
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Failure) -> Bool {
    isFound = try predicate(input) == wanted
    return !isFound
  }

  @inlinable
  mutating func result() throws(Failure) -> Bool? { isFound == wanted }
}
