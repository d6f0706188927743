extension Publisher {
  /// Passes a value on if the publisher finishes without one.
  ///
  /// ```marble
  /// source: --------|
  /// replaceEmpty(with: 1)
  /// result: --------(1|)
  /// ```
  ///
  /// - Demand: The downstream's; the value in place of none waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes, after the value if there was none.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the value comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: What stands for no value.
  @inlinable public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    through(Publishers.ReplaceEmptyTail(output))
  }
}

extension Publishers {
  /// A publisher that is never empty.
  public typealias ReplaceEmpty<Upstream: Publisher> =
    Tailed<Upstream, ReplaceEmptyTail<Upstream.Output, Upstream.Failure>>

  /// Holds a replacement until a value comes.
  @frozen public struct ReplaceEmptyTail<Input: Sendable, Failure: Error>: Tail {
    @usableFromInline var replacement: Input?

    @inlinable init(_ replacement: Input) {
      self.replacement = replacement
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Input> {
      replacement = nil
      return .pass(input)
    }

    @inlinable public mutating func end(
      _ completion: Subscribers.Completion<Failure>
    ) -> TailEnd<Input, Failure> {
      guard case .finished = completion, let value = replacement.take() else {
        return .end(completion)
      }
      return .value(value)
    }
  }
}
