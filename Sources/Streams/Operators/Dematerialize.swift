extension Publisher {
  /// Converts signals that arrive as values back to a stream.
  ///
  /// It reverses ``materialize()``.
  ///
  /// ```marble
  /// source: --a--b--c--|
  /// dematerialize()
  /// result: --1--2--#
  /// a = .value(1)
  /// b = .value(2)
  /// c = .completion(.failure(error))
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The failure that a signal carries.
  /// - Completion: With the first completion among the values, which also cancels the upstream, or
  ///   when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  @inlinable public func dematerialize<Value, NewFailure>()
    -> Publishers.Dematerialize<Self, Value, NewFailure>
  where Output == Signal<Value, NewFailure>, Failure == Never {
    Publishers.Dematerialize(
      Publishers.Staged(self, Publishers.DematerializeStage(), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of the stream that its upstream sends as signal values.
  @frozen
  public struct Dematerialize<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher
  where Upstream.Output == Signal<Output, Failure>, Upstream.Failure == Never {
    @usableFromInline let base: Staged<Upstream, DematerializeStage<Output, Failure>>

    @inlinable init(_ base: Staged<Upstream, DematerializeStage<Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that converts each signal value back to a signal.
  @frozen public struct DematerializeStage<Output: Sendable, Failure: Error>: Stage {
    @inlinable init() {}

    @inlinable public mutating func receive(
      _ input: Signal<Output, Failure>
    ) throws(Failure) -> StageStep<Output> {
      switch input {
      case .value(let value): return .pass(value)
      case .completion(.finished): return .finish
      case .completion(.failure(let error)): throw error
      }
    }
  }
}
