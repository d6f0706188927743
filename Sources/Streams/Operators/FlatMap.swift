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
  /// With `maxPublishers`, the upstream is asked for its next value when a publisher has finished:
  ///
  /// ```marble
  /// source:        -1-2---|
  /// source demand: 1----1
  /// child:         -a-b|
  /// flatMap(maxPublishers: .max(1)) { _ in child }
  /// result:        --a-b-a-b|
  /// ```
  ///
  /// - Demand: `maxPublishers` of the upstream, one more as each publisher finishes. Of each
  ///   publisher everything where the downstream asks for everything; one value at a time
  ///   otherwise, so that not more than one of each waits.
  /// - Errors: The first failure of the upstream or of a publisher, at once; values that wait are
  ///   dropped.
  /// - Completion: When the upstream and all publishers have finished.
  /// - Cancellation: Cancels the upstream and all publishers.
  /// - Delivery: Where the publishers deliver, one at a time; values of one keep their order.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many of them run at the same time; one makes them run in order.
  ///   - transform: Makes a publisher of a value, where this publisher delivers.
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
  /// - Errors: The upstream's failure, at once; values that wait are dropped.
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
  /// - Errors: The first failure of a publisher, at once; values that wait are dropped.
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
  /// A publisher of the merged values of the publishers that its upstream's values become.
  ///
  /// It finishes when the upstream and all children have; the first failure of any of them ends it
  /// at once and cancels the rest. Values of one child keep their order.
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
