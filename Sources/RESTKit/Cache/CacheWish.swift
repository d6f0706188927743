import Foundation
import Synchronization

/// The way in which a pipeline uses its cache, if it is not the standard.
final class CacheWish: Sendable {
  /// Whether the server is always asked.
  let isRevalidated: Bool
  /// The moment from which on stored responses count as fresh.
  ///
  /// If it is set, no stale response is used.
  let refusesStaleSince: Date?
  private let stale = Atomic<Bool>(false)

  init(isRevalidated: Bool = false, refusesStaleSince: Date? = nil) {
    self.isRevalidated = isRevalidated
    self.refusesStaleSince = refusesStaleSince
  }

  var refusesStale: Bool { refusesStaleSince != nil }

  /// Whether a stale response was delivered.
  var gaveStale: Bool { stale.load(ordering: .relaxed) }

  func noteStale() { stale.store(true, ordering: .relaxed) }
}
