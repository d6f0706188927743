import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// The subscription of a Combine publisher.
@usableFromInline struct UpstreamSubscription: @unchecked Sendable {
  // Unchecked is right: Combine does not mark its subscriptions. It cancels them on any thread, as
  // this does, and requests come one at a time.
  @usableFromInline let subscription: any CombineFramework.Subscription

  @inlinable init(_ subscription: any CombineFramework.Subscription) {
    self.subscription = subscription
  }

  /// - Parameter demand: More than none: Combine traps where nothing is asked for.
  @inlinable func request(_ demand: Streams.Subscribers.Demand) {
    subscription.request(demand.forCombine)
  }

  @inlinable func cancel() {
    subscription.cancel()
  }
}
