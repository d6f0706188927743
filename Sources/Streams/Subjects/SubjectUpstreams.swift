/// The subscriptions that feed a subject.
///
/// Subscriptions that are over are released at each doubling, which costs O(1) on average for each
/// new one.
@usableFromInline struct SubjectUpstreams: Sendable {
  @usableFromInline var subscriptions: [any Subscription] = []
  @usableFromInline var limit = 8

  @inlinable init() {}

  /// - Returns: The subscriptions to release without the lock.
  @usableFromInline mutating func add(_ subscription: any Subscription) -> [any Subscription] {
    var released: [any Subscription] = []
    if subscriptions.count >= limit {
      released = exchange(&subscriptions, with: [])
      subscriptions = released.filter { !(($0 as? any FeedSubscription)?.isOver ?? false) }
      limit = max(8, subscriptions.count * 2)
    }
    subscriptions.append(subscription)
    return released
  }

  @usableFromInline mutating func takeAll() -> [any Subscription] {
    exchange(&subscriptions, with: [])
  }
}

/// A subscription that tells whether it is over.
protocol FeedSubscription: Subscription {
  var isOver: Bool { get }
}

/// A subject's hold on a publisher that feeds it.
@frozen @usableFromInline struct GateSubscription: FeedSubscription {
  @usableFromInline let gate: UpstreamGate
  @usableFromInline let willCancel: @Sendable () -> Void

  /// - Parameter willCancel: A closure that runs before each cancel by the subject.
  @inlinable init(_ gate: UpstreamGate, willCancel: @escaping @Sendable () -> Void = {}) {
    self.gate = gate
    self.willCancel = willCancel
  }

  @usableFromInline var isOver: Bool { gate.phase == .finished || gate.phase == .cancelled }

  @usableFromInline func request(_ demand: Subscribers.Demand) {
    if demand > .none { gate.current?.request(demand) }
  }

  // At its end, a subject cancels all publishers that feed it, but not those that have ended
  // already.
  @usableFromInline func cancel() {
    willCancel()
    if gate.isOpen { gate.cancel() }
  }
}
