extension Publisher {
  /// Passes values and the end on as values, then finishes; so a failure can travel without ending
  /// the stream.
  ///
  /// The way back is ``dematerialize()``.
  ///
  /// ```marble
  /// source: --1--2--#
  /// materialize()
  /// result: --a--b--(c|)
  /// a = .value(1)
  /// b = .value(2)
  /// c = .completion(.failure(error))
  /// ```
  ///
  /// - Demand: The downstream's; the end, as a value, waits for demand too.
  /// - Errors: None: a failure is a value.
  /// - Completion: When the upstream ends, after the value that says how.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the last value comes later.
  /// - Complexity: O(1) for each value.
  @inlinable public func materialize() -> Publishers.Materialize<Self> {
    Publishers.Tailed(self, Publishers.MaterializeTail())
  }
}

extension Publishers {
  /// A publisher of signals as values.
  public typealias Materialize<Upstream: Publisher> =
    Tailed<Upstream, MaterializeTail<Upstream.Output, Upstream.Failure>>

  /// Makes a value of each signal.
  @frozen public struct MaterializeTail<Input: Sendable, InputFailure: Error>: Tail {
    public typealias Output = Signal<Input, InputFailure>

    @inlinable init() {}

    @inlinable public mutating func receive(_ input: Input) -> StageStep<Output> {
      .pass(.value(input))
    }

    @inlinable public mutating func end(
      _ completion: Subscribers.Completion<InputFailure>
    ) -> TailEnd<Output, Never> { .value(.completion(completion)) }
  }
}
