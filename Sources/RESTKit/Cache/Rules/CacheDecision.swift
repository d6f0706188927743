import Foundation

/// What a cache does with a request, by what it keeps for the target (RFC 9111 §4).
enum CacheDecision: Sendable {
  /// Gives the answer; nothing is sent.
  case fresh(CachedAnswer)
  /// Gives an answer that is no longer fresh, since somebody allowed it.
  case stale(CachedAnswer, StaleReason)
  /// Asks the server whether what is kept still holds.
  case validate(CacheValidation)
  /// Asks the server, for the first time.
  case miss(MissReason)
  /// Sends nothing and gives a 504: the request takes a kept answer or none (RFC 9111 §5.2.1.7).
  case unsatisfiable
  /// Sends the request as it is; what comes may be kept all the same.
  case bypass(BypassReason)

  enum StaleReason: Sendable {
    /// The request takes it (RFC 9111 §5.2.1.2).
    case maxStale
    /// The server lets it be given while it is asked behind it (RFC 5861 §3).
    case whileRevalidate(CacheValidation)
  }

  enum MissReason: Sendable {
    /// Nothing is kept for the target.
    case nothingStored
    /// What is kept was chosen by other fields of the request.
    case otherVariant
  }

  enum BypassReason: Sendable {
    case method
    /// The request must leave no trace (RFC 9111 §5.2.1.5).
    case noStore
    /// The request asks for a part that no fresh answer has whole.
    case range
    /// The request has a condition of its own that nothing fresh can judge. A 304 to it goes to the
    /// caller; ``ResponseUpdate/confirmedInPassing(among:)`` says what it makes of what is kept.
    case condition
  }

  /// Decides.
  ///
  /// - Parameters:
  ///   - stored: All that is kept for the target, in any order.
  ///   - now: The wall clock.
  init(_ request: CacheRequest, stored: [StoredResponse], now: Date) {
    let decision = Self.unrestricted(request, stored, now)
    guard request.control.flags.contains(.onlyIfCached) else {
      self = decision
      return
    }
    switch decision {
    // A refresh behind the answer would send something.
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
      // What a server is to say to a condition or about a part, it has to see.
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
        .fresh(CachedAnswer(stored: chosen, freshness: freshness, form: form))
      } ?? .bypass(.range)
    }
    if request.isConditional { return .bypass(.condition) }
    if request.range != nil { return .bypass(.range) }
    return .stale(whole(chosen, freshness, request), .maxStale)
  }

  private static func whole(
    _ stored: StoredResponse, _ freshness: Freshness, _ request: CacheRequest
  ) -> CachedAnswer {
    CachedAnswer(
      stored: stored, freshness: freshness, form: request.method == .head ? .head : .whole)
  }

  /// Why a kept answer may not be given as it is.
  private static func obstacle(
    _ request: CacheRequest, _ chosen: StoredResponse, _ rules: ResponseRules,
    _ freshness: Freshness
  ) -> CacheValidation.Reason? {
    if chosen.isInvalidated { return .invalidated }
    if rules.control.flags.contains(.noCache) { return .noCache }
    if request.wantsValidation { return .request }
    let control = request.control
    if freshness.isFresh {
      // What does not change while it is fresh need not be young (RFC 8246 §2).
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
    case .fresh(let answer):
      answer.freshness.kind == .heuristic ? "hit, fresh by a heuristic" : "hit"
    case .stale(_, .maxStale): "stale hit: max-stale"
    case .stale(_, .whileRevalidate): "stale hit: stale-while-revalidate"
    case .validate(let validation): "validation: \(validation.reason.words)"
    case .miss(.nothingStored): "miss: nothing stored"
    case .miss(.otherVariant): "miss: stored for other values of the fields in Vary"
    case .unsatisfiable: "504: only-if-cached, and nothing stored may be given"
    case .bypass(.method): "bypass: method"
    case .bypass(.noStore): "bypass: no-store in the request"
    case .bypass(.range): "bypass: Range"
    case .bypass(.condition): "bypass: the request has a condition of its own"
    }
  }
}
