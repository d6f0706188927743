extension Publisher {
  /// Puts a value in the place of a failure, then finishes.
  ///
  /// ```marble
  /// source: --1--2--#
  /// replaceError(with: 0)
  /// result: --1--2--(0|)
  /// ```
  ///
  /// - Demand: The downstream's; the value in place of a failure waits for demand.
  /// - Errors: None.
  /// - Completion: When the upstream finishes, or after the value in place of its failure.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the value comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter output: What stands for a failure.
  @inlinable
  public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}

extension Publishers {
  /// A publisher that ends with a value where its upstream fails.
  ///
  /// The value waits for demand like any other.
  @frozen
  public struct ReplaceError<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Never

    public let upstream: Upstream
    public let output: Output

    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
      upstream.catch { [output] _ in Just(output) }.receive(subscriber: subscriber)
    }
  }
}
