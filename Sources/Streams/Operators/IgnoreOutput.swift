extension Publisher {
  /// Drops all values, and passes on how the publisher ends.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// ignoreOutput()
  /// result: -----------|
  /// ```
  ///
  /// - Demand: Asks the upstream for everything; the end needs no demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  @inlinable
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    Publishers.IgnoreOutput(upstream: self)
  }
}

extension Publishers {
  /// A publisher of an end without values.
  @frozen
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fold = IgnoreFold<Output, Failure>()
      upstream.receive(subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}

@frozen
@usableFromInline
struct IgnoreFold<Input: Sendable, Failure: Error>: Fold {

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input) throws(Failure) -> Bool { true }

  @inlinable
  mutating func result() throws(Failure) -> Input? { nil }
}
