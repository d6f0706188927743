extension Publisher {
  /// Sends values and the completion as values, and then finishes.
  ///
  /// A failure can thus travel without ending the stream.
  ///
  /// ``dematerialize()`` reverses it.
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
  /// - Demand: Forwards the downstream's demand. The completion is sent as a value, so it waits for
  ///   demand, too.
  /// - Errors: None. A failure becomes a value.
  /// - Completion: When the upstream ends, after the value that holds its completion.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the last value.
  /// - Complexity: O(1) for each value.
  @inlinable public func materialize() -> Publishers.Materialize<Self> {
    Publishers.Materialize(Publishers.Tailed(self, Publishers.MaterializeTail()))
  }
}

extension Publishers {
  /// A publisher of signals as values.
  @frozen public struct Materialize<Upstream: Publisher>: Publisher {
    public typealias Output = Signal<Upstream.Output, Upstream.Failure>
    public typealias Failure = Never

    @usableFromInline let base: Tailed<Upstream, MaterializeTail<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Tailed<Upstream, MaterializeTail<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A tail that converts each signal to a value.
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
