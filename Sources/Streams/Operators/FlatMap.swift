extension Publisher {
  /// Turns each value into a publisher and merges their values.
  ///
  /// ```marble
  /// source: -1----2------|
  /// child:  --a--b|
  /// flatMap { _ in child }
  /// result: ---a--b-a--b-|
  /// ```
  ///
  /// With `maxPublishers`, the operator requests the next value when a publisher has finished:
  ///
  /// ```marble
  /// source:        -1-2---|
  /// source demand: 1----1
  /// child:         -a-b|
  /// flatMap(maxPublishers: .max(1)) { _ in child }
  /// result:        --a-b-a-b|
  /// ```
  ///
  /// - Demand: Requests `maxPublishers` values from the upstream, and one more whenever a publisher
  ///   finishes. From each publisher, requests everything if the downstream requests everything.
  ///   Otherwise it requests one value at a time, so at most one value of each publisher waits.
  /// - Errors: The first failure of the upstream or of a publisher, at once. Waiting values are
  ///   dropped.
  /// - Completion: When the upstream and all publishers have finished.
  /// - Cancellation: Cancels the upstream and all publishers.
  /// - Delivery: On the threads of the publishers, one value at a time. The values of one publisher
  ///   keep their order.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - maxPublishers: The number of publishers that run at the same time. With one, they run in
  ///     order.
  ///   - transform: A closure that makes a publisher from a value, on the upstream's thread.
  @inlinable public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMap<Child, Self> where Child.Failure == Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Turns each value into a publisher that cannot fail and merges their values.
  ///
  /// As ``flatMap(maxPublishers:_:)``.
  ///
  /// - Errors: The upstream's failure, at once. Waiting values are dropped.
  @inlinable public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMap<Publishers.SetFailureType<Child, Failure>, Self>
  where Child.Failure == Never {
    flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
  }
}

extension Publisher where Failure == Never {
  /// Turns each value of a publisher that cannot fail into a publisher and merges their values.
  ///
  /// As ``flatMap(maxPublishers:_:)``.
  ///
  /// - Errors: The first failure of a publisher, at once. Waiting values are dropped.
  @inlinable public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMap<Child, Publishers.SetFailureType<Self, Child.Failure>> {
    setFailureType(to: Child.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Turns each value into a publisher that cannot fail and merges their values.
  ///
  /// As ``flatMap(maxPublishers:_:)``.
  ///
  /// - Errors: None.
  @inlinable public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMap<Child, Self> where Child.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publishers {
  /// A publisher of the merged values of the publishers that its upstream's values are turned into.
  ///
  /// It finishes when the upstream and all children have finished. The first failure of any of them
  /// ends it at once and cancels the rest. The values of one child keep their order.
  @frozen public struct FlatMap<Child: Publisher, Upstream: Publisher>: Publisher
  where Child.Failure == Upstream.Failure {
    public typealias Output = Child.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let maxPublishers: Subscribers.Demand
    public let transform: @Sendable (Upstream.Output) -> Child
    @usableFromInline let rule: FanInRule

    @inlinable public init(
      upstream: Upstream, maxPublishers: Subscribers.Demand,
      transform: @escaping @Sendable (Upstream.Output) -> Child
    ) {
      self.init(upstream, .all, maxPublishers: maxPublishers, transform: transform)
    }

    @inlinable init(
      _ upstream: Upstream, _ rule: FanInRule, maxPublishers: Subscribers.Demand = .unlimited,
      transform: @escaping @Sendable (Upstream.Output) -> Child
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
      self.rule = rule
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      FanInSource.subscribe(
        upstream, for: subscriber, rule: rule, limit: maxPublishers, transform: transform)
    }
  }
}
