extension Publisher {
  /// Counts the values, and passes the number on when the publisher finishes.
  ///
  /// ```marble
  /// source: --a--b--c--|
  /// count()
  /// result: -----------(3|)
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the number, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: O(1) for each value.
  @inlinable
  public func count() -> Publishers.Count<Self> {
    Publishers.Count(upstream: self)
  }
}

extension Publishers {
  /// A publisher of the number of values.
  @frozen
  public struct Count<Upstream: Publisher>: Publisher {
    public typealias Output = Int
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fold = CountFold<Upstream.Output, Failure>()
      upstream.receive(subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}

@frozen
@usableFromInline
struct CountFold<Input: Sendable, Failure: Error>: Fold {
  @usableFromInline var count: Int = 0

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input) throws(Failure) -> Bool {
    count += 1
    return true
  }

  @inlinable
  mutating func result() throws(Failure) -> Int? { count }
}
