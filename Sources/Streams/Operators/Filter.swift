extension Publisher {
  /// Passes on only the values that satisfy a predicate.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// filter { $0 != 2 }
  /// result: --1-----3--|
  /// ```
  ///
  /// For each value it drops, the operator requests one more from the upstream:
  ///
  /// ```marble
  /// source:        -1-2-3-|
  /// source demand: 2--1
  /// filter { $0 != 2 }
  /// demand:        2
  /// result:        -1---3-|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter isIncluded: A closure that runs for each value, on the upstream's thread.
  @inlinable public func filter(
    _ isIncluded: @escaping @Sendable (Output) -> Bool
  ) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }
}

extension Publishers {
  /// A publisher of the values that satisfy a predicate.
  ///
  /// For each value it drops, it requests another one from the upstream.
  @frozen public struct Filter<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let isIncluded: @Sendable (Output) -> Bool

    @inlinable public init(upstream: Upstream, isIncluded: @escaping @Sendable (Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    @inlinable
    // This method is inlined, and the subscriber below is not nested in this type. Otherwise the
    // compiler stops specializing when one generic function calls itself with growing types, as in
    // a long chain.
    @inline(__always) public func receive<Downstream: Subscriber>(subscriber: consuming Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.receive(subscriber: FilterSubscriber(downstream: subscriber, isIncluded: isIncluded))
    }
  }
}

@frozen @usableFromInline struct FilterSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let isIncluded: @Sendable (Input) -> Bool
  @usableFromInline let watch = CancelWatch()

  @inlinable
  init(downstream: Downstream, isIncluded: @escaping @Sendable (Downstream.Input) -> Bool) {
    self.downstream = downstream
    self.isIncluded = isIncluded
  }

  @inlinable var context: SubscriptionContext { downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    downstream.receive(subscription: watch.watching(subscription))
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    let passes = isIncluded(input)
    if watch.isCancelled { return .none }
    return passes ? downstream.receive(input) : .max(1)
  }

  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    downstream.receive(completion: completion)
  }
}
