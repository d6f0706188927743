extension Publisher {
  /// Sends a value if the publisher finishes without one.
  ///
  /// ```marble
  /// source: --------|
  /// replaceEmpty(with: 1)
  /// result: --------(1|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. The replacement value waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes, after the replacement value if there is no other.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the value.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: The value to send if there is no other.
  @inlinable public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(through(Publishers.ReplaceEmptyTail(output)))
  }
}

extension Publishers {
  /// A publisher that sends a value if its upstream finishes without one.
  @frozen public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base:
      Tailed<Upstream, ReplaceEmptyTail<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Tailed<Upstream, ReplaceEmptyTail<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A tail that holds a replacement until a value arrives.
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
