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
  @inlinable
  public func last(where predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.LastWhere<Self, Failure>
  {
    Publishers.LastWhere<Self, Failure>(upstream: self, mapFailure: { $0 }, predicate: predicate)
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
  @inlinable
  public func tryLast(where predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.LastWhere<Self, any Error>
  {
    Publishers.LastWhere(upstream: self, mapFailure: { $0 }, predicate: predicate)
  }

  /// As ``tryLast(where:)``, with a closure that throws the stream's own failure type, which is
  /// kept.
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value; holds one.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryLast(where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.LastWhere<Self, Failure>
  {
    Publishers.LastWhere(upstream: self, mapFailure: { $0 }, predicate: predicate)
  }
}

extension Publisher where Failure == Never {
  /// As ``tryLast(where:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: What the closure throws, in its own type.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value; holds one.
  ///
  /// - Parameter predicate: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryLast<NewFailure: Error>(
    where predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.LastWhere<Self, NewFailure> {
    Publishers.LastWhere(upstream: self, mapFailure: impossible, predicate: predicate)
  }
}

extension Publishers {
  /// A publisher of the last value that satisfies a predicate.
  @frozen
  public struct LastWhere<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

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
      let fold = LastFold(predicate: predicate)
      upstream.receive(
        subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: mapFailure))
    }
  }
}

@frozen
@usableFromInline
struct LastFold<Input: Sendable, Failure: Error>: Fold {
  @usableFromInline var last: Input? = nil
  @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool

  @inlinable
  init(predicate: @escaping @Sendable (Input) throws(Failure) -> Bool) {
    self.predicate = predicate
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Failure) -> Bool {
    if try predicate(input) { last = input }
    return true
  }

  @inlinable
  mutating func result() throws(Failure) -> Input? { last.take() }
}
