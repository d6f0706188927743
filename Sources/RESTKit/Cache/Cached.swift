import Foundation
import Streams

extension Publisher where Failure == any Error {
  /// Answers what was kept, as long as the server lets that be given, and keeps what the server lets be kept.
  ///
  /// ```swift
  /// let cache = HTTPCache()
  ///
  /// func catalog() -> AnyPublisher<[Item], any Error> {
  ///   api.get(endpoint: "catalog").cached(in: cache).decode(type: [Item].self)
  /// }
  /// ```
  ///
  /// ``HTTPCache`` says what is kept, and for whom. It holds for all requests of the pipeline before it,
  /// redirects included, wherever it stands, and takes the place of the API's ``RESTAPI/cache``; of several,
  /// the one nearest to the verb counts. What comes in pieces passes by: `events`, live streams, downloads and
  /// uploads.
  ///
  /// - Demand: The downstream's; with ``CacheUse/cachedThenFresh`` the second value is asked for when the
  ///   first was taken, and waits for demand of its own.
  /// - Errors: The upstream's. Where a stale answer may stand in for a failure (`stale-if-error`), that comes
  ///   instead; with ``CacheUse/cachedThenFresh`` a failure behind a stale value is told.
  /// - Completion: When the upstream finishes, the second time where there are two values.
  /// - Cancellation: Cancels the upstream. A refresh behind a stale answer goes on.
  /// - Delivery: What was kept comes where it is subscribed, the rest where the upstream delivers.
  ///
  /// - Parameters:
  ///   - cache: Where answers are kept.
  ///   - use: Whether the server is asked although something may be given.
  public func cached(
    in cache: HTTPCache, use: CacheUse = .standard
  ) -> AnyPublisher<Output, any Error> {
    switch use {
    case .standard:
      return context(CacheWish.Key.self, CacheWish(cache)).eraseToAnyPublisher()
    case .revalidated:
      return context(CacheWish.Key.self, CacheWish(cache, isRevalidated: true))
        .eraseToAnyPublisher()
    case .cachedThenFresh:
      let upstream = eraseToAnyPublisher()
      return DeferredInContext { context in
        Relay(CachedThenFresh(upstream, in: cache, context: context).first)
      }
      .eraseToAnyPublisher()
    }
  }
}

/// What may be given at once, and then, where that was stale, what the server says.
private struct CachedThenFresh<Output: Sendable>: RelayRule {
  private let upstream: AnyPublisher<Output, any Error>
  private let context: SubscriptionContext
  /// When it was subscribed.
  private let begin: Date
  private let wish: CacheWish

  init(
    _ upstream: AnyPublisher<Output, any Error>, in cache: HTTPCache,
    context: SubscriptionContext, refusesStaleSince begin: Date? = nil
  ) {
    self.upstream = upstream
    self.context = context
    self.begin = begin ?? cache.now
    wish = CacheWish(cache, refusesStaleSince: begin)
  }

  var first: RelayLeg<Self> {
    RelayLeg(upstream, rule: self, context: context.setting(CacheWish.Key.self, to: wish))
  }

  func successor(of value: inout Output) -> RelayLeg<Self>? { nil }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? {
    guard case .finished = end, wish.gaveStale, !wish.refusesStale else { return nil }
    return CachedThenFresh(
      upstream, in: wish.cache, context: context, refusesStaleSince: begin
    ).first
  }
}
