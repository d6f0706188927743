import Foundation
import Streams

extension Publisher where Failure == any Error {
  /// Delivers stored responses as long as the server's rules allow it, and stores responses that
  /// may be stored.
  ///
  /// ```swift
  /// let cache = HTTPCache()
  ///
  /// func catalog() -> AnyPublisher<[Item], any Error> {
  ///   api.get(endpoint: "catalog").cached(in: cache).decode(type: [Item].self)
  /// }
  /// ```
  ///
  /// ``HTTPCache`` describes which responses are stored, and for whom. The cache applies to all
  /// requests of the upstream pipeline, including redirects, and replaces the API's
  /// ``RESTAPI/cache``. Of several caches, the one nearest to the verb applies. Responses in pieces
  /// bypass the cache: `events`, live streams, downloads and uploads.
  ///
  /// - Demand: The downstream's; with ``CacheUse/cachedThenFresh`` the second value is requested
  ///   after the first was delivered, and waits for demand of its own.
  /// - Errors: The upstream's. A stale response may replace a failure (`stale-if-error`). With
  ///   ``CacheUse/cachedThenFresh``, a failure after a stale value is delivered.
  /// - Completion: When the upstream finishes; for the second time if there are two values.
  /// - Cancellation: Cancels the upstream. A refresh in the background continues.
  /// - Delivery: A stored response on the thread that subscribes, others where the upstream
  ///   delivers.
  ///
  /// - Parameters:
  ///   - cache: The cache.
  ///   - use: Whether the server is asked even if a stored response may be used.
  public func cached(
    in cache: HTTPCache, use: CacheUse = .standard
  ) -> AnyPublisher<Output, any Error> {
    switch use {
    case .standard:
      return options { ($0.cache, $0.cacheOptions) = (cache, nil) }
    case .revalidated:
      return options { ($0.cache, $0.cacheOptions) = (cache, CacheOptions(isRevalidated: true)) }
    case .cachedThenFresh:
      let upstream = eraseToAnyPublisher()
      return DeferredInContext { context in
        Relay(CachedThenFresh(upstream, in: cache, context: context).first)
      }
      .eraseToAnyPublisher()
    }
  }
}

/// The rule of a relay that delivers a usable stored response, and then the server's response.
///
/// The second response follows only if the first one was stale.
private struct CachedThenFresh<Output: Sendable>: RelayRule {
  private let upstream: AnyPublisher<Output, any Error>
  private let cache: HTTPCache
  private let context: SubscriptionContext
  /// The time of the subscription.
  private let begin: Date
  private let options: CacheOptions

  init(
    _ upstream: AnyPublisher<Output, any Error>, in cache: HTTPCache,
    context: SubscriptionContext, refusesStaleSince begin: Date? = nil
  ) {
    self.upstream = upstream
    self.cache = cache
    self.context = context
    self.begin = begin ?? cache.now
    options = CacheOptions(refusesStaleSince: begin)
  }

  var first: RelayLeg<Self> {
    RelayLeg(
      upstream, rule: self,
      context: context.changingOptions { ($0.cache, $0.cacheOptions) = (cache, options) })
  }

  func successor(of value: inout Output) -> RelayLeg<Self>? { nil }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? {
    guard case .finished = end, options.gaveStale, !options.refusesStale else { return nil }
    return CachedThenFresh(
      upstream, in: cache, context: context, refusesStaleSince: begin
    ).first
  }
}
