import Streams

/// Keeps a subscription outside of the subscriber, as a caller does who holds a cancellable.
final class SubscriptionKeeper: Sendable {
  private let state = Lock<(any Subscription)?>(nil)

  var subscription: (any Subscription)? { state.withLock { $0 } }

  /// Keeps the first subscription only.
  func keep(_ subscription: any Subscription) -> Bool {
    state.withLock { state in
      guard state == nil else { return false }
      state = subscription
      return true
    }
  }
}

/// A weak reference that can be handed around.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  private weak var object: Object?

  init(_ object: Object) {
    self.object = object
  }

  var isReleased: Bool { object == nil }
}
