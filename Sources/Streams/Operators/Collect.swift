extension Publisher {
  /// Collects all values and sends them as one array when the publisher finishes.
  ///
  /// A failure discards the collected values.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// collect()
  /// result: -----------("[1, 2, 3]"|)
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the array, which may be empty, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: Amortized O(1) for each value; holds all values.
  @inlinable public func collect() -> Publishers.Collect<Self> {
    Publishers.Collect(through(Publishers.CollectFold()))
  }
}

extension Publishers {
  /// A publisher of one array of all values.
  @frozen public struct Collect<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Folded<Upstream, CollectFold<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Folded<Upstream, CollectFold<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A fold that collects values.
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
