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
    Publishers.IgnoreOutput(through(Publishers.IgnoreOutputFold()))
  }
}

extension Publishers {
  /// A publisher of a completion without values.
  @frozen public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    public typealias Output = Never
    public typealias Failure = Upstream.Failure

    @usableFromInline let base:
      Folded<Upstream, IgnoreOutputFold<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Folded<Upstream, IgnoreOutputFold<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A fold that waits for the end.
  @frozen public struct IgnoreOutputFold<Input: Sendable, Failure: Error>: Fold {
    @inlinable init() {}

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool { true }

    @inlinable public mutating func result() throws(Failure) -> Never? { nil }
  }
}
