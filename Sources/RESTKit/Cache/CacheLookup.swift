import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The use of a cache for one request.
final class CacheLookup: Sendable {
  let exchange: any RestOfWay
  let cache: HTTPCache
  let request: CacheRequest
  let key: CacheKey
  private let options: CacheOptions?
  private let coalescer: RequestCoalescer?
  private let isSharedByHand: Bool

  /// - Parameter isSharedByHand: Whether the pipeline itself asks for sharing.
  /// - Returns: nil for a request that the cache does not handle, because it never stores responses
  ///   for such a URL.
  init?(
    _ exchange: any RestOfWay, in cache: HTTPCache, options: CacheOptions?,
    coalescer: RequestCoalescer?, isSharedByHand: Bool = false
  ) {
    // Foundation takes microseconds to provide the fields.
    let built = exchange.request
    let fields = built.allHTTPHeaderFields ?? [:]
    guard let url = built.url else { return nil }
    let text = url.absoluteString
    guard let target = CacheKey.target(text) else { return nil }
    self.exchange = exchange
    self.cache = cache
    // Both are large: what is stored at once is not copied.
    key = CacheKey(url: target, partition: exchange.identity(with: fields, to: text))
    request = CacheRequest(
      method: built.method, url: url, fields: fields, options: options,
      secretNames: exchange.secretNames)
    self.options = options
    self.coalescer = coalescer
    self.isSharedByHand = isSharedByHand
    if let principal = exchange.principal { cache.watch(principal) }
  }

  /// The response: a stored one, or the server's.
  var response: AnyPublisher<RESTResponse, any Error> {
    // The URL alone does not identify a request with a body.
    guard isRetrieval else { return forward(by: .bypass(.method)) }
    guard !exchange.request.hasBody else { return exchange.send() }
    let decision = decision
    exchange.record(.cache(decision.description, answersCall: decision.answersCall))
    if let cached = answer(by: decision) { return cached }
    guard let sharedKey else { return servingStale(for: forward(by: decision), decision) }
    let work = Work(owner: self)
    let shared = cache.exchanges.response(for: sharedKey, patience: exchange.patience, work: work)
    return servingStale(
      for: Relay(RelayLeg(shared, rule: SharedOutcome(work: work))).eraseToAnyPublisher(), decision)
  }

  /// The work of this lookup for an exchange that it may share with identical requests.
  private final class Work: SharedWork {
    let owner: CacheLookup
    private let joined = Lock(false)

    init(owner: CacheLookup) {
      self.owner = owner
    }

    /// Whether another call made the exchange.
    var isJoined: Bool { joined.withLock { $0 } }

    func join() {
      joined.withLock { $0 = true }
      owner.exchange.join()
    }

    func begin() -> AnyPublisher<RESTResponse, any Error> {
      // Another call's exchange may have ended since the decision.
      let decision = owner.decision
      guard let cached = owner.answer(by: decision) else {
        return owner.forward(by: decision, isShared: true)
      }
      owner.exchange.record(.cache(decision.description, answersCall: decision.answersCall))
      return cached
    }
  }

  /// The rule of a relay that forwards a request by itself if it may not use the response to
  /// another call (RFC 9111 §4).
  private struct SharedOutcome: RelayRule {
    let work: Work
    var isForwarded = false

    func successor(of response: inout RESTResponse) -> RelayLeg<Self>? {
      guard work.isJoined, !isForwarded else { return nil }
      let owner = work.owner
      guard !owner.isSharedByHand, let obstacle = response.obstacleToSharing else {
        response = response.collapsed
        return nil
      }
      owner.exchange.record(.cache("not shared: \(obstacle)", answersCall: false))
      let next = SharedOutcome(work: work, isForwarded: true)
      return RelayLeg(owner.forward(by: owner.decision), rule: next)
    }

    func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? { nil }
  }

  /// The key for sharing the exchange; nil if it may not be shared.
  private var sharedKey: SharedRequestKey? {
    // A request that refuses stale responses waits for a refresh that is already running.
    guard coalescer != nil || options?.refusesStale == true else { return nil }
    guard isSharedByHand || !request.control.flags.contains(.noStore) else { return nil }
    return refreshKey
  }

  private var refreshKey: SharedRequestKey? {
    SharedRequestKey(exchange, as: key.partition, ignoring: coalescer?.ignoredFields ?? [])
  }

  private var isRetrieval: Bool { request.method == .get || request.method == .head }

  private var decision: CacheDecision {
    CacheDecision(request, stored: cache.responses(for: key), now: cache.now)
  }

  /// Returns the response that can be delivered at once; nil if a server has to be asked.
  private func answer(by decision: CacheDecision) -> AnyPublisher<RESTResponse, any Error>? {
    switch decision {
    case .fresh(let cached): return give(cached, decision.status)
    case .stale(let cached, let reason):
      // With `only-if-cached`, no second response follows.
      if !request.control.flags.contains(.onlyIfCached) { options?.noteStale() }
      if case .whileRevalidate(let validation) = reason { refresh(cached.stored, by: validation) }
      return give(cached, decision.status)
    case .unsatisfiable:
      let head = ResponseHead(url: exchange.request.url ?? URL(filePath: "/"), statusCode: 504)
      return Self.just(response(head, Data(), .unsatisfied, to: exchange.request))
    case .validate, .miss, .bypass: return nil
    }
  }

  private func give(
    _ cached: CachedResponse, _ status: CacheStatus
  ) -> AnyPublisher<RESTResponse, any Error> {
    let built = exchange.request
    let response = response(cached.head, cached.data, status, to: built)
    exchange.transport.noteCacheHit(response, for: built)
    return Self.just(response)
  }

  fileprivate func response(
    _ head: ResponseHead, _ data: Data, _ status: CacheStatus, to request: URLRequest
  ) -> RESTResponse {
    RESTResponse(head: head, data: data, request: RequestSummary(request), cacheStatus: status)
  }

  fileprivate static func just(_ response: RESTResponse) -> AnyPublisher<RESTResponse, any Error> {
    Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }

  // MARK: Asking a server

  fileprivate func forward(
    by decision: CacheDecision, isShared: Bool = false
  ) -> AnyPublisher<RESTResponse, any Error> {
    Relay(ForwardedExchange(self, decision, isShared: isShared).sent).eraseToAnyPublisher()
  }

  private func servingStale(
    for asked: AnyPublisher<RESTResponse, any Error>, _ decision: CacheDecision
  ) -> AnyPublisher<RESTResponse, any Error> {
    guard case .validate(let validation) = decision else { return asked }
    return Relay(RelayLeg(asked, rule: StaleIfError(self, validation))).eraseToAnyPublisher()
  }

  /// Removes the stored responses of changed targets.
  ///
  /// Later calls do not join exchanges that already request them.
  func invalidate(_ targets: [String]) {
    cache.invalidate(targets)
    coalescer?.retire(targets)
  }

  /// Validates a stale response in the background, once for all calls that received it.
  ///
  /// No cancel ends this.
  private func refresh(_ stored: StoredResponse, by validation: CacheValidation) {
    // An exchange for another call serves as well, if that call's cancel no longer ends it.
    guard let refreshKey, !cache.exchanges.hold(refreshKey),
      cache.beginRefresh(of: stored, for: key)
    else { return }
    cache.exchanges.response(
      for: refreshKey, patience: exchange.patience,
      work: Refresh(exchange: exchange, cache: cache, coalescer: coalescer, validation: validation)
    )
    .receive(subscriber: UnattendedRefresh(cache: cache, stored: stored, key: key))
  }
}

/// The validation of a stale response, as a separate call.
private struct Refresh: SharedWork {
  let exchange: any RestOfWay
  let cache: HTTPCache
  let coalescer: RequestCoalescer?
  let validation: CacheValidation

  func join() {}

  func begin() -> AnyPublisher<RESTResponse, any Error> {
    exchange.behind { exchange in
      CacheLookup(exchange, in: cache, options: nil, coalescer: coalescer)?
        .forward(by: .validate(validation), isShared: true) ?? exchange.send(isShared: true)
    }
  }
}

/// A subscriber to a background refresh, which ignores the response.
///
/// The cache has stored the response by then. After a failure, the former response remains.
private struct UnattendedRefresh: Subscriber {
  let cache: HTTPCache
  let stored: StoredResponse
  let key: CacheKey

  func receive(subscription: any Subscription) { subscription.request(.unlimited) }

  func receive(_ input: RESTResponse) -> Subscribers.Demand { .none }

  func receive(completion: Subscribers.Completion<any Error>) {
    cache.endRefresh(of: stored, for: key)
  }
}

extension URLRequest {
  fileprivate var hasBody: Bool { httpBody != nil || httpBodyStream != nil }
}

extension RESTResponse {
  /// The reason why only the call that asked for the response may use it; nil if others may, too.
  ///
  /// An error has nothing for one caller alone, and a server in trouble is not to be asked by each.
  fileprivate var obstacleToSharing: String? {
    guard statusCode < 400 else { return nil }
    let flags = CacheControl(headers).flags
    if flags.contains(.noStore), !flags.contains(.mustUnderstand) { return "no-store" }
    if flags.contains(.noCache) { return "no-cache" }
    if VaryingFields.names(of: headers) == nil { return "Vary: *" }
    if case .forwarded(_, _, isStored: true, _, _, _) = cacheStatus { return nil }
    return headers.contains("Set-Cookie") ? "Set-Cookie" : nil
  }

  /// This response for a call that shared another call's exchange.
  fileprivate var collapsed: RESTResponse {
    guard
      case .forwarded(let reason, let status, let isStored, _, let ttl, let detail) = cacheStatus
    else { return self }
    return withCacheStatus(
      .forwarded(
        reason, status: status, isStored: isStored, isCollapsed: true, ttl: ttl, detail: detail))
  }
}
