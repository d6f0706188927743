extension Publisher {
  /// Gives a value to everything upstream, for one subscription.
  ///
  /// A ``DeferredInContext`` upstream reads it, and so does a publisher of your own from its
  /// subscriber's ``Subscriber/context``. Of two values for one key, the one nearer upstream counts.
  ///
  /// ```marble
  /// source: -1-2-|
  /// context(DepthKey.self, 1)
  /// result: -1-2-|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each subscription; a value costs nothing.
  ///
  /// - Parameters:
  ///   - key: What to find the value by.
  ///   - value: The value, the same for each subscription.
  @inlinable public func context<Key: SubscriptionContextKey>(
    _ key: Key.Type, _ value: Key.Value
  ) -> Publishers.Context<Self, Key> {
    Publishers.Context(upstream: self, contextValue: value)
  }
}

extension Publishers {
  /// A publisher that gives its upstream more context than it has of its own.
  @frozen public struct Context<Upstream: Publisher, Key: SubscriptionContextKey>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let contextValue: Key.Value

    @inlinable public init(upstream: Upstream, contextValue: Key.Value) {
      self.upstream = upstream
      self.contextValue = contextValue
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      let context = subscriber.context.setting(Key.self, to: contextValue)
      upstream.receive(subscriber: ContextSubscriber(downstream: subscriber, context: context))
    }
  }
}

@frozen @usableFromInline struct ContextSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let context: SubscriptionContext

  @inlinable init(downstream: Downstream, context: SubscriptionContext) {
    self.downstream = downstream
    self.context = context
  }

  @inlinable func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    downstream.receive(input)
  }

  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    downstream.receive(completion: completion)
  }
}
