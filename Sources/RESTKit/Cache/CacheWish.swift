import Foundation
import Streams
import Synchronization

/// The context value of a verb: the cache that replaces its API's, and the way to use it.
final class CacheWish: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: CacheWish? { nil }
  }

  let cache: HTTPCache
  /// Whether the server is always asked.
  let isRevalidated: Bool
  /// The moment from which on stored responses count as fresh.
  ///
  /// If it is set, no stale response is used.
  let refusesStaleSince: Date?
  private let stale = Atomic<Bool>(false)

  init(_ cache: HTTPCache, isRevalidated: Bool = false, refusesStaleSince: Date? = nil) {
    self.cache = cache
    self.isRevalidated = isRevalidated
    self.refusesStaleSince = refusesStaleSince
  }

  var refusesStale: Bool { refusesStaleSince != nil }

  /// Whether a stale response was delivered.
  var gaveStale: Bool { stale.load(ordering: .relaxed) }

  func noteStale() { stale.store(true, ordering: .relaxed) }
}
