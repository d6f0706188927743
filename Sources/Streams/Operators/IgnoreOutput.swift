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
  @inlinable public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    through(Publishers.IgnoreOutputFold())
  }
}

extension Publishers {
  /// A publisher of an end without values.
  public typealias IgnoreOutput<Upstream: Publisher> =
    Folded<Upstream, IgnoreOutputFold<Upstream.Output, Upstream.Failure>>

  /// Waits for the end.
  @frozen public struct IgnoreOutputFold<Input: Sendable, Failure: Error>: Fold {
    @inlinable init() {}

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool { true }

    @inlinable public mutating func result() throws(Failure) -> Never? { nil }
  }
}
