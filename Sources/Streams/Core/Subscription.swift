/// The connection from a subscriber back to its publisher, which requests values or cancels.
public protocol Subscription: Cancellable {
  /// Requests additional values.
  ///
  /// Requests add up and saturate at unlimited. A request for none does nothing, and neither does a
  /// request after the end or a cancel. You can call this method on any thread, and from inside
  /// `receive(subscription:)` and `receive(_:)`. Values may arrive before it returns.
  func request(_ demand: Subscribers.Demand)
}

/// The namespace of ready-made subscriptions.
public enum Subscriptions {
  /// An empty subscription, for a publisher that ends at once.
  public static var empty: any Subscription { EmptySubscription() }
}

@usableFromInline struct EmptySubscription: Subscription {
  @inlinable init() {}
  @inlinable func request(_ demand: Subscribers.Demand) {}
  @inlinable func cancel() {}
}
