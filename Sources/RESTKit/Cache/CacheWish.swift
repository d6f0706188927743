import Foundation
import Streams
import Synchronization

/// In the context of a verb: which cache it uses, in the place of its API's, and how.
final class CacheWish: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: CacheWish? { nil }
  }

  let cache: HTTPCache
  /// Whether the server is always asked.
  let isRevalidated: Bool
  /// Whether nothing stale is taken, whoever allows it; but what came since this moment is fresh enough.
  let refusesStaleSince: Date?
  private let stale = Atomic<Bool>(false)

  init(_ cache: HTTPCache, isRevalidated: Bool = false, refusesStaleSince: Date? = nil) {
    self.cache = cache
    self.isRevalidated = isRevalidated
    self.refusesStaleSince = refusesStaleSince
  }

  var refusesStale: Bool { refusesStaleSince != nil }

  /// Whether something stale was given.
  var gaveStale: Bool { stale.load(ordering: .relaxed) }

  func noteStale() { stale.store(true, ordering: .relaxed) }
}
