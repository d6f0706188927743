/// The line from a subscriber back to its publisher: asks for values, or ends it all.
public protocol Subscription: Cancellable {
  /// Asks for so many more values.
  ///
  /// Requests add up and saturate at unlimited; asking for none does nothing, and neither does a
  /// request after the end or a cancel. It may be called on any thread, also from inside
  /// `receive(subscription:)` and `receive(_:)`; values may arrive before it returns.
  func request(_ demand: Subscribers.Demand)
}

/// The namespace of ready-made subscriptions.
public enum Subscriptions {
  /// A subscription with nothing behind it: for a publisher that ends at once.
  public static var empty: any Subscription { EmptySubscription() }
}

@usableFromInline struct EmptySubscription: Subscription {
  @inlinable init() {}
  @inlinable func request(_ demand: Subscribers.Demand) {}
  @inlinable func cancel() {}
}
