import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// The subscription of a Combine publisher.
@usableFromInline struct UpstreamSubscription: @unchecked Sendable {
  // Unchecked is correct: Combine does not mark its subscriptions. Its own code cancels them on any
  // thread, as this type does, and requests come one at a time.
  @usableFromInline let subscription: any CombineFramework.Subscription

  @inlinable init(_ subscription: any CombineFramework.Subscription) {
    self.subscription = subscription
  }

  /// - Parameter demand: The demand, which must not be none: Combine traps on a request for no
  ///   values.
  @inlinable func request(_ demand: Streams.Subscribers.Demand) {
    subscription.request(demand.forCombine)
  }

  @inlinable func cancel() {
    subscription.cancel()
  }
}
