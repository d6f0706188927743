import Foundation
import Streams

/// A request to a server, and the cache's processing of the response.
struct ForwardedExchange: RelayRule {
  private let owner: CacheLookup
  private let decision: CacheDecision
  private let isShared: Bool
  private let start: Int
  /// The time at which the cache decided to send the request.
  private let decisionTime: Date

  /// - Parameter isShared: Whether other calls may wait for the exchange.
  init(_ owner: CacheLookup, _ decision: CacheDecision, isShared: Bool) {
    self.owner = owner
    self.decision = decision
    self.isShared = isShared
    start = owner.cache.begin()
    decisionTime = owner.cache.now
  }

  /// Returns the time at which the transport sent the request of a response (RFC 9111 §4.2.3).
  ///
  /// A wait for a turn, for a token or for a connection is no age of the response.
  private func requestTime(of response: RESTResponse) -> Date {
    let departure = owner.exchange.departure?.date ?? decisionTime
    guard let wait = response.metrics?.beforeSending, wait > .zero else { return departure }
    return min(departure + wait.inSeconds, max(departure, owner.cache.now))
  }

  private var validation: CacheValidation? {
    if case .validate(let validation) = decision { validation } else { nil }
  }

  /// Sends the request now.
  var sent: RelayLeg<Self> {
    RelayLeg(
      owner.exchange.send(adding: validation?.fields ?? [], isShared: isShared), rule: self)
  }

  func successor(of response: inout RESTResponse) -> RelayLeg<Self>? {
    invalidate(after: response.head)
    guard let validation else {
      settle(&response)
      return nil
    }
    return settle(&response, by: validation)
  }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? {
    if case .failure(let error) = end, let error = error as? RESTError,
      let unreadable = error.unreadableResponse
    {
      invalidate(after: unreadable.response.head)
    }
    return nil
  }

  private func invalidate(after head: ResponseHead) {
    let targets = Invalidation.targets(of: owner.request, answeredBy: head)
    guard !targets.isEmpty else { return }
    owner.invalidate(targets)
    note("invalidated responses of \(targets.count == 1 ? "its URL" : "\(targets.count) URLs")")
  }

  // MARK: Processing a response

  /// Processes the response to a validation.
  private func settle(
    _ response: inout RESTResponse, by validation: CacheValidation
  ) -> RelayLeg<Self>? {
    let outcome = validation.outcome(
      of: response.head, to: owner.request, requestTime: requestTime(of: response),
      responseTime: owner.cache.now)
    switch outcome {
    case .confirmed(var head, let data, let keep):
      head.departure = response.head.departure
      let refusal = keepAll(keep)
      note(refusal.map { "validated, and not stored: \($0)" } ?? "validated")
      let ttl = keep.first?.ttl(now: owner.cache.now)
      response = response.replacing(head: head, data: data).withCacheStatus(
        status(
          code: response.statusCode, isStored: refusal == nil, ttl: ttl,
          detail: refusal.map { "not stored: \($0)" }))
    case .unmatched:
      note("the 304 matches no stored response")
      return ForwardedExchange(owner, .miss(.nothingStored), isShared: isShared).sent
    case .replaced: store(&response)
    // A stale response may replace the failure later.
    case .unanswered, .failed: response = response.withCacheStatus(status())
    case .freshened(let keep):
      let refusal = keepAll(keep)
      response = response.withCacheStatus(status(isStored: refusal == nil))
    }
    return nil
  }

  /// Processes the response to an unchanged request.
  private func settle(_ response: inout RESTResponse) {
    switch decision {
    case .bypass(.condition) where response.statusCode == 304:
      let update = ResponseUpdate(
        response.head, to: owner.request, requestTime: requestTime(of: response),
        responseTime: owner.cache.now)
      let kept = update.confirmedInPassing(among: owner.cache.responses(for: owner.key))
      let isStored = !kept.isEmpty && keepAll(kept) == nil
      response = response.withCacheStatus(status(isStored: isStored))
    case .fresh, .stale, .validate, .miss, .bypass, .unsatisfiable: store(&response)
    }
  }

  private func store(_ response: inout RESTResponse) {
    let now = owner.cache.now
    let storage = StorageDecision(
      owner.request, head: response.head, data: response.data,
      requestTime: requestTime(of: response),
      responseTime: now)
    var refusal: String?
    var ttl: Int?
    switch storage {
    case .store where owner.exchange.isRefusal(response):
      // The response is about a token: it says nothing of the resource, whose stored response the
      // next token may still use.
      refusal = "it refuses the session's token"
    case .store(let stored):
      refusal = owner.cache.keep(
        stored, for: owner.key, askedBy: owner.exchange.principal, since: start,
        names: owner.exchange.secretNames)
      ttl = stored.ttl(now: now)
    case .refuse(.method):
      // Responses to other methods are never stored, and the log does not mention it.
      response = response.withCacheStatus(status())
      return
    case .refuse(let reason):
      refusal = reason.words
      // The stored response is no longer the server's.
      if validation != nil { owner.cache.forget(owner.key) }
    }
    note(refusal.map { "not stored: \($0)" } ?? "stored")
    response = response.withCacheStatus(
      status(
        isStored: refusal == nil, ttl: refusal == nil ? ttl : nil,
        detail: refusal.map { "not stored: \($0)" }))
  }

  /// - Returns: The reason why the responses are not stored; nil if they are.
  private func keepAll(_ responses: [StoredResponse]) -> String? {
    guard !responses.isEmpty else {
      owner.cache.forget(owner.key)
      return "no-store"
    }
    var refusal: String?
    for response in responses {
      refusal =
        owner.cache.keep(
          response, for: owner.key, askedBy: owner.exchange.principal, since: start,
          names: owner.exchange.secretNames) ?? refusal
    }
    return refusal
  }

  private func note(_ words: @autoclosure () -> String) {
    owner.exchange.record(.cache(words(), answersCall: false))
  }

  private func status(
    code: Int? = nil, isStored: Bool = false, ttl: Int? = nil, detail: String? = nil
  ) -> CacheStatus {
    .forwarded(
      decision.reason, status: code, isStored: isStored, ttl: ttl, detail: detail)
  }
}
