extension Publisher {
  /// Makes a stream again of signals that travel as values.
  ///
  /// The way there is ``materialize()``.
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
  /// - Demand: The downstream's.
  /// - Errors: The failure that a signal carries.
  /// - Completion: With the first signal that says so, without waiting for the upstream, which is
  ///   cancelled; or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  @inlinable public func dematerialize<Value, NewFailure>()
    -> Publishers.Dematerialize<Self, Value, NewFailure>
  where Output == Signal<Value, NewFailure>, Failure == Never {
    Publishers.Staged(self, Publishers.DematerializeStage(), mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher of what its upstream sends as signals.
  public typealias Dematerialize<Upstream: Publisher, Output: Sendable, Failure: Error> =
    Staged<Upstream, DematerializeStage<Output, Failure>>
  where Upstream.Output == Signal<Output, Failure>, Upstream.Failure == Never

  /// Makes a signal of each value.
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
