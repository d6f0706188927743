extension Publisher {
  /// Numbers the values, from zero.
  ///
  /// ```marble
  /// source: --5--7--|
  /// enumerated()
  /// result: --x--y--|
  /// x = (offset: 0, element: 5)
  /// y = (offset: 1, element: 7)
  /// ```
  ///
  /// It numbers as ``zip(_:)`` with an endless sequence would, which asks that sequence for as many
  /// values as it is asked for itself, and so never returns under unlimited demand.
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  @inlinable public func enumerated() -> Publishers.Enumerated<Self> {
    Publishers.Enumerated(through(Publishers.EnumerateStage()))
  }
}

extension Publishers {
  /// A publisher of numbered values.
  @frozen public struct Enumerated<Upstream: Publisher>: Publisher {
    public typealias Output = (offset: Int, element: Upstream.Output)
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Staged<Upstream, EnumerateStage<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Staged<Upstream, EnumerateStage<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that puts the number of values before a value beside it.
  @frozen public struct EnumerateStage<Element: Sendable, Failure: Error>: Stage {
    @usableFromInline var offset = 0

    @inlinable public init() {}

    @inlinable public mutating func receive(
      _ input: Element
    ) throws(Failure) -> StageStep<(offset: Int, element: Element)> {
      defer { offset += 1 }
      return .pass((offset, input))
    }
  }
}
