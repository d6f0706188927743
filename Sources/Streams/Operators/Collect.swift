extension Publisher {
  /// Gathers all values and passes them on as one array when the publisher finishes.
  ///
  /// A failure discards what was gathered.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// collect()
  /// result: -----------("[1, 2, 3]"|)
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the array, which may be empty, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the result comes later.
  /// - Complexity: Amortized O(1) for each value; holds all of them.
  @inlinable
  public func collect() -> Publishers.Collect<Self> {
    Publishers.Collect(upstream: self)
  }
}

extension Publishers {
  /// A publisher of all values as one array.
  @frozen
  public struct Collect<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fold = CollectFold<Upstream.Output, Failure>()
      upstream.receive(subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}

@frozen
@usableFromInline
struct CollectFold<Input: Sendable, Failure: Error>: Fold {
  @usableFromInline var values: [Input] = []

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input) throws(Failure) -> Bool {
    values.append(input)
    return true
  }

  @inlinable
  mutating func result() throws(Failure) -> [Input]? {
    defer { values = [] }
    return values
  }
}
