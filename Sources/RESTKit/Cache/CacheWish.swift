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
  /// Whether nothing stale is taken, whoever allows it.
  let refusesStale: Bool
  private let stale = Atomic<Bool>(false)

  init(_ cache: HTTPCache, isRevalidated: Bool = false, refusesStale: Bool = false) {
    self.cache = cache
    self.isRevalidated = isRevalidated
    self.refusesStale = refusesStale
  }

  /// Whether something stale was given.
  var gaveStale: Bool { stale.load(ordering: .relaxed) }

  func noteStale() { stale.store(true, ordering: .relaxed) }
}
