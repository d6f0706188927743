extension Publisher {
  /// Transforms each value and drops nil results.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// compactMap { $0 == 2 ? nil : $0 + 1 }
  /// result: --2-----4--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: A closure that runs for each value, on the upstream's thread.
  @inlinable public func compactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) -> NewOutput?
  ) -> Publishers.CompactMap<Self, NewOutput> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher of the transformed values that are not nil.
  ///
  /// For each value it drops, it requests another one from the upstream.
  @frozen public struct CompactMap<Upstream: Publisher, Output: Sendable>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let transform: @Sendable (Upstream.Output) -> Output?

    @inlinable public init(
      upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output?
    ) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.receive(subscriber: Inner(downstream: subscriber, transform: transform))
    }

    @frozen @usableFromInline struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
      @usableFromInline let downstream: Downstream
      @usableFromInline let transform: @Sendable (Upstream.Output) -> Output?
      @usableFromInline let watch = CancelWatch()

      @inlinable
      init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) -> Output?) {
        self.downstream = downstream
        self.transform = transform
      }

      @inlinable var context: SubscriptionContext { downstream.context }

      @inlinable func receive(subscription: any Subscription) {
        downstream.receive(subscription: watch.watching(subscription))
      }

      @inlinable func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        let output = transform(input)
        if watch.isCancelled { return .none }
        return output.map(downstream.receive) ?? .max(1)
      }

      @inlinable func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        downstream.receive(completion: completion)
      }
    }
  }
}
