import Streams

/// The subscription of a Combine publisher.
struct UpstreamSubscription: @unchecked Sendable {
  // Unchecked is right: Combine does not mark its subscriptions. It cancels them on any thread, as
  // this does, and requests come one at a time.
  private let subscription: any CombineFramework.Subscription

  init(_ subscription: any CombineFramework.Subscription) {
    self.subscription = subscription
  }

  /// - Parameter demand: More than none: Combine traps where nothing is asked for.
  func request(_ demand: Subscribers.Demand) {
    subscription.request(demand.forCombine)
  }

  func cancel() {
    subscription.cancel()
  }
}
