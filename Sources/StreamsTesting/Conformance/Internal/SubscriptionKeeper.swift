import Streams

/// A place for a subscription outside the subscriber, like that of a caller that holds a
/// cancellable.
final class SubscriptionKeeper: Sendable {
  private let state = Lock<(any Subscription)?>(nil)

  var subscription: (any Subscription)? { state.withLock { $0 } }

  /// Keeps only the first subscription.
  func keep(_ subscription: any Subscription) -> Bool {
    state.withLock { state in
      guard state == nil else { return false }
      state = subscription
      return true
    }
  }
}

/// A weak reference that can be passed around.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  private weak var object: Object?

  init(_ object: Object) {
    self.object = object
  }

  var isReleased: Bool { object == nil }
}
