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
  @inlinable
  public func dematerialize<Value, NewFailure>()
    -> Publishers.Dematerialize<Self, Value, NewFailure>
  where Output == Signal<Value, NewFailure>, Failure == Never {
    Publishers.Dematerialize(upstream: self)
  }
}

extension Publishers {
  /// A publisher of what its upstream sends as signals.
  @frozen
  public struct Dematerialize<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher
  where Upstream.Output == Signal<Output, Failure>, Upstream.Failure == Never {
    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let stage = DematerializeStage<Output, Failure>()
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: impossible))
    }
  }
}

@frozen
@usableFromInline
struct DematerializeStage<Output: Sendable, Failure: Error>: Stage {
  @inlinable init() {}

  @inlinable
  mutating func receive(_ input: Signal<Output, Failure>) -> StageStep<Output, Failure> {
    switch input {
    case .value(let value): .pass(value)
    case .completion(.finished): .finish
    case .completion(.failure(let error)): .fail(error)
    }
  }
}
