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
  @inlinable
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }
}

extension Publishers {
  /// A publisher that is never empty.
  @frozen
  public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let output: Output

    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      TailSubscriber.connect(
        upstream, to: subscriber, through: ReplaceEmptyTail<Output, Failure>(replacement: output))
    }
  }
}

@frozen
@usableFromInline
struct ReplaceEmptyTail<Input: Sendable, Failure: Error>: Tail {
  @usableFromInline var replacement: Input?

  @inlinable
  init(replacement: Input?) {
    self.replacement = replacement
  }

  @inlinable var ratio: Int { 1 }

  @inlinable
  mutating func receive(_ input: Input) -> Input? {
    replacement = nil
    return input
  }

  @inlinable
  mutating func end(_ completion: Subscribers.Completion<Failure>) -> TailEnd<Input, Failure> {
    guard case .finished = completion, let value = replacement.take() else {
      return .end(completion)
    }
    return .value(value)
  }
}
