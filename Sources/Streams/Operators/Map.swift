extension Publisher {
  /// Transforms each value.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// map { $0 * 2 }
  /// result: --2--4--6--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: A closure that runs for each value, on the upstream's thread.
  @inlinable public func map<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) -> NewOutput
  ) -> Publishers.Map<Self, NewOutput> {
    Publishers.Map(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher of transformed values.
  @frozen public struct Map<Upstream: Publisher, Output: Sendable>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let transform: @Sendable (Upstream.Output) -> Output

    @inlinable public init(
      upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    // This method is inlined, and the subscriber below is not nested in this type. Otherwise the
    // compiler stops specializing when one generic function calls itself with growing types, as in
    // a long chain.
    @inline(__always) public func receive<Downstream: Subscriber>(subscriber: consuming Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.receive(subscriber: MapSubscriber(downstream: subscriber, transform: transform))
    }
  }
}

@frozen @usableFromInline
struct MapSubscriber<Input: Sendable, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: @Sendable (Input) -> Downstream.Input
  @usableFromInline let watch = CancelWatch()

  @inlinable
  init(downstream: Downstream, transform: @escaping @Sendable (Input) -> Downstream.Input) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable var context: SubscriptionContext { downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    downstream.receive(subscription: watch.watching(subscription))
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    let output = transform(input)
    return watch.isCancelled ? .none : downstream.receive(output)
  }

  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    downstream.receive(completion: completion)
  }
}
