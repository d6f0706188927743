import Foundation

/// A cache's decision about a request, from the stored responses of its target (RFC 9111 §4).
enum CacheDecision: Sendable {
  /// Delivers the response. Nothing is sent.
  case fresh(CachedResponse)
  /// Delivers a stale response, because the request or the server allows it.
  case stale(CachedResponse, StaleReason)
  /// Asks the server whether a stored response is still valid.
  case validate(CacheValidation)
  /// Asks the server for a response that is not stored.
  case miss(MissReason)
  /// Delivers a 504 and sends nothing: the request accepts only a stored response (RFC 9111
  /// §5.2.1.7).
  case unsatisfiable
  /// Sends the request unchanged. The response may still be stored.
  case bypass(BypassReason)

  enum StaleReason: Sendable {
    /// The request accepts it (RFC 9111 §5.2.1.2).
    case maxStale
    /// The server allows it during a validation in the background (RFC 5861 §3).
    case whileRevalidate(CacheValidation)
  }

  enum MissReason: Sendable {
    /// Nothing is stored for the target.
    case nothingStored
    /// The stored responses belong to other values of the request's fields.
    case otherVariant
  }

  enum BypassReason: Sendable {
    case method
    /// The request must leave no trace (RFC 9111 §5.2.1.5).
    case noStore
    /// The request asks for a part that no fresh response contains.
    case range
    /// The request has its own condition, which no fresh response can answer. The caller receives a
    /// 304 to it; see ``ResponseUpdate/confirmedInPassing(among:)`` for its effect on the stored
    /// responses.
    case condition
  }

  /// Decides about a request.
  ///
  /// - Parameters:
  ///   - stored: All stored responses of the target, in any order.
  ///   - now: The wall clock.
  init(_ request: CacheRequest, stored: [StoredResponse], now: Date) {
    let decision = Self.unrestricted(request, stored, now)
    guard request.control.flags.contains(.onlyIfCached) else {
      self = decision
      return
    }
    switch decision {
    // A refresh in the background would send a request.
    case .fresh, .stale(_, .maxStale): self = decision
    default: self = .unsatisfiable
    }
  }

  private static func unrestricted(
    _ request: CacheRequest, _ stored: [StoredResponse], _ now: Date
  ) -> CacheDecision {
    guard request.method == .get || request.method == .head else { return .bypass(.method) }
    guard !request.control.flags.contains(.noStore) else { return .bypass(.noStore) }
    guard !request.hasServerCondition else { return .bypass(.condition) }
    let candidates = StoredVariants.candidates(for: request, among: stored)
    guard let chosen = candidates.first else {
      // The server has to see a condition or a range.
      if request.isConditional { return .bypass(.condition) }
      if request.range != nil { return .bypass(.range) }
      return .miss(stored.isEmpty ? .nothingStored : .otherVariant)
    }
    let rules = chosen.rules
    let freshness = rules.freshness(now: now)
    if let since = request.refusesStaleSince, chosen.responseTime >= since,
      !request.isConditional, request.range == nil
    {
      return .fresh(whole(chosen, freshness, request))
    }
    if let reason = obstacle(request, chosen, rules, freshness) {
      if request.isConditional { return .bypass(.condition) }
      if request.range != nil { return .bypass(.range) }
      let validation = CacheValidation(candidates, reason: reason)
      guard reason == .stale,
        let staleness = rules.control.staleWhileRevalidate,
        freshness.staleness <= Double(staleness),
        allowsStale(request, rules), request.control.maxAge == nil
      else { return .validate(validation) }
      return .stale(whole(chosen, freshness, request), .whileRevalidate(validation))
    }
    if freshness.isFresh {
      return SelectedForm.form(of: chosen, rules: rules, for: request, now: now).map { form in
        .fresh(CachedResponse(stored: chosen, freshness: freshness, form: form))
      } ?? .bypass(.range)
    }
    if request.isConditional { return .bypass(.condition) }
    if request.range != nil { return .bypass(.range) }
    return .stale(whole(chosen, freshness, request), .maxStale)
  }

  private static func whole(
    _ stored: StoredResponse, _ freshness: Freshness, _ request: CacheRequest
  ) -> CachedResponse {
    CachedResponse(
      stored: stored, freshness: freshness, form: request.method == .head ? .head : .whole)
  }

  /// Returns the reason why a stored response may not be delivered unchanged.
  private static func obstacle(
    _ request: CacheRequest, _ chosen: StoredResponse, _ rules: ResponseRules,
    _ freshness: Freshness
  ) -> CacheValidation.Reason? {
    if chosen.isInvalidated { return .invalidated }
    if rules.control.flags.contains(.noCache) { return .noCache }
    if request.wantsValidation { return .request }
    let control = request.control
    if freshness.isFresh {
      // An immutable response need not be young while it is fresh (RFC 8246 §2).
      if let most = control.maxAge, freshness.age > Double(most),
        !rules.control.flags.contains(.immutable)
      {
        return .request
      }
      if let least = control.minFresh, -freshness.staleness < Double(least) { return .request }
      return nil
    }
    guard let most = control.maxStale, freshness.staleness <= Double(most),
      freshness.kind != .none, allowsStale(request, rules),
      control.maxAge.map({ freshness.age <= Double($0) }) ?? true
    else { return .stale }
    return nil
  }

  private static func allowsStale(_ request: CacheRequest, _ rules: ResponseRules) -> Bool {
    !request.refusesStale && !rules.control.flags.contains(.mustRevalidate)
      && request.control.minFresh == nil
  }
}

extension CacheDecision: CustomStringConvertible {
  /// The decision in words, for a log.
  var description: String {
    switch self {
    case .fresh(let cached):
      cached.freshness.kind == .heuristic ? "hit, fresh by a heuristic" : "hit"
    case .stale(_, .maxStale): "stale hit: max-stale"
    case .stale(_, .whileRevalidate): "stale hit: stale-while-revalidate"
    case .validate(let validation): "validation: \(validation.reason.words)"
    case .miss(.nothingStored): "miss: nothing stored"
    case .miss(.otherVariant): "miss: stored for other values of the fields in Vary"
    case .unsatisfiable: "504: only-if-cached, and no stored response may be used"
    case .bypass(.method): "bypass: method"
    case .bypass(.noStore): "bypass: no-store in the request"
    case .bypass(.range): "bypass: Range"
    case .bypass(.condition): "bypass: the request has a condition of its own"
    }
  }
}

extension CacheDecision {
  /// The cache status of a response, as far as the decision determines it.
  var status: CacheStatus {
    switch self {
    case .fresh(let cached): .hit(ttl: cached.freshness.ttl, detail: cached.detail)
    case .stale(let cached, _): .hit(ttl: cached.freshness.ttl, detail: description)
    case .unsatisfiable: .unsatisfied
    case .validate, .miss, .bypass: .forwarded(reason)
    }
  }

  /// Whether nothing is sent.
  var answersCall: Bool {
    switch self {
    case .fresh, .stale, .unsatisfiable: true
    case .validate, .miss, .bypass: false
    }
  }

  /// The reason for asking a server.
  var reason: CacheStatus.ForwardReason {
    switch self {
    case .validate(let validation): validation.reason == .request ? .request : .stale
    case .miss(.nothingStored): .uriMiss
    case .miss(.otherVariant): .varyMiss
    case .bypass(.method): .method
    case .bypass(.noStore): .request
    case .bypass, .fresh, .stale, .unsatisfiable: .bypass
    }
  }
}

extension CachedResponse {
  fileprivate var detail: String? {
    freshness.kind == .heuristic ? "fresh by a heuristic" : nil
  }
}
