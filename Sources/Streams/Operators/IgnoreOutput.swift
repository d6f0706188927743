extension Publisher {
  /// Drops all values and passes on the completion.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// ignoreOutput()
  /// result: -----------|
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The completion needs no demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  @inlinable public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    through(Publishers.IgnoreOutputFold())
  }
}

extension Publishers {
  /// A publisher of a completion without values.
  public typealias IgnoreOutput<Upstream: Publisher> =
    Folded<Upstream, IgnoreOutputFold<Upstream.Output, Upstream.Failure>>

  /// A fold that waits for the end.
  @frozen public struct IgnoreOutputFold<Input: Sendable, Failure: Error>: Fold {
    @inlinable init() {}

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool { true }

    @inlinable public mutating func result() throws(Failure) -> Never? { nil }
  }
}
