extension Publisher {
  /// Gives a value to all publishers upstream, for one subscription.
  ///
  /// A ``DeferredInContext`` upstream reads the value. Your own publisher reads it from its
  /// subscriber's ``Subscriber/context``. If a key has two values, the one nearer upstream wins.
  ///
  /// ```marble
  /// source: -1-2-|
  /// context(DepthKey.self, 1)
  /// result: -1-2-|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each subscription. The values of the stream add no cost.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - value: The value, the same for each subscription.
  @inlinable public func context<Key: SubscriptionContextKey>(
    _ key: Key.Type, _ value: Key.Value
  ) -> Publishers.Context<Self, Key> {
    Publishers.Context(upstream: self, contextValue: value)
  }
}

extension Publishers {
  /// A publisher that adds a value to the context of its upstream.
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
      if let hidden = AnySubscriber<Output, Failure>.hidden(subscriber) {
        upstream.receive(subscriber: AnySubscriber(hidden, context: context))
      } else {
        upstream.receive(subscriber: ContextSubscriber(downstream: subscriber, context: context))
      }
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
