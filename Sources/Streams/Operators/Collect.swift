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
  @inlinable public func collect() -> Publishers.Collect<Self> {
    through(Publishers.CollectFold())
  }
}

extension Publishers {
  /// A publisher of all values as one array.
  public typealias Collect<Upstream: Publisher> =
    Folded<Upstream, CollectFold<Upstream.Output, Upstream.Failure>>

  /// Gathers values.
  @frozen public struct CollectFold<Input: Sendable, Failure: Error>: Fold {
    @usableFromInline var values: [Input] = []

    @inlinable init() {}

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool {
      values.append(input)
      return true
    }

    @inlinable public mutating func result() throws(Failure) -> [Input]? { values }
  }
}
