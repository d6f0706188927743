import Foundation
import Streams

/// A request that goes to a server, and what a cache makes of the answer.
struct ForwardedExchange: RelayRule {
  private let owner: CachedExchange
  private let decision: CacheDecision
  private let start: Int
  private let requestTime: Date

  init(_ owner: CachedExchange, _ decision: CacheDecision) {
    self.owner = owner
    self.decision = decision
    start = owner.cache.moment
    requestTime = owner.cache.now
  }

  private var validation: CacheValidation? {
    if case .validate(let validation) = decision { validation } else { nil }
  }

  /// - Parameter behind: Whether no call waits for it.
  func sent(behind: Bool) -> RelayLeg<Self> {
    let fields = validation?.fields ?? []
    let exchange = owner.exchange
    return RelayLeg(
      behind ? exchange.sendBehind(adding: fields) : exchange.send(adding: fields), rule: self)
  }

  func successor(of response: inout RESTResponse) -> RelayLeg<Self>? {
    let targets = Invalidation.targets(of: owner.request, answeredBy: response.head)
    if !targets.isEmpty {
      owner.invalidate(targets)
      note("invalidated what was kept of \(targets.count == 1 ? "it" : "\(targets.count) URLs")")
    }
    guard let validation else {
      settle(&response)
      return nil
    }
    return settle(&response, by: validation)
  }

  func successor(
    after end: Subscribers.Completion<any Error>
  ) -> RelayLeg<Self>? {
    guard case .failure(let error) = end, let validation, error.isAbsence,
      let answer = stale(validation, after: .disconnected)
    else { return nil }
    note("stale hit: the server cannot be reached")
    let response = RESTResponse(
      head: answer.head, data: answer.data, request: RequestSummary(owner.exchange.request),
      cacheStatus: status(ttl: answer.freshness.ttl, detail: "stale: the server is not reached"))
    return RelayLeg(
      Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher(),
      rule: ForwardedExchange(owner, .unsatisfiable))
  }

  // MARK: What an answer means

  /// Makes of an answer to a question what it says of the kept ones.
  private func settle(
    _ response: inout RESTResponse, by validation: CacheValidation
  ) -> RelayLeg<Self>? {
    let outcome = validation.outcome(
      of: response.head, to: owner.request, requestTime: requestTime, responseTime: owner.cache.now)
    switch outcome {
    case .confirmed(let head, let data, let keep):
      let refusal = keepAll(keep)
      note(refusal.map { "validated, and not stored: \($0)" } ?? "validated")
      let ttl = keep.first?.ttl(now: owner.cache.now)
      response = response.replacing(head: head, data: data).withCacheStatus(
        status(
          code: response.statusCode, isStored: refusal == nil, ttl: ttl,
          detail: refusal.map { "not stored: \($0)" }))
    case .unmatched:
      note("the 304 confirms none of what is stored")
      return ForwardedExchange(owner, .miss(.nothingStored)).sent(behind: false)
    case .replaced: store(&response)
    case .unanswered: response = response.withCacheStatus(status())
    case .freshened(let keep):
      let refusal = keepAll(keep)
      response = response.withCacheStatus(status(isStored: refusal == nil))
    case .failed: giveStale(in: &response, by: validation)
    }
    return nil
  }

  /// Makes of an answer to a request that went as it was what is to be kept.
  private func settle(_ response: inout RESTResponse) {
    switch decision {
    case .unsatisfiable: return
    case .bypass(.condition) where response.statusCode == 304:
      let update = ResponseUpdate(
        response.head, to: owner.request, requestTime: requestTime, responseTime: owner.cache.now)
      let kept = update.confirmedInPassing(among: owner.cache.responses(for: owner.key))
      let isStored = !kept.isEmpty && keepAll(kept) == nil
      response = response.withCacheStatus(status(isStored: isStored))
    case .fresh, .stale, .validate, .miss, .bypass: store(&response)
    }
  }

  private func store(_ response: inout RESTResponse) {
    let now = owner.cache.now
    let storage = StorageDecision(
      owner.request, head: response.head, data: response.data, requestTime: requestTime,
      responseTime: now)
    var refusal: String?
    var ttl: Int?
    switch storage {
    case .store where owner.exchange.asker != nil && response.statusCode == 401:
      // It is about a token, and the next one has the same asker.
      refusal = "status 401 to a session"
      owner.cache.forget(owner.key)
    case .store(let stored):
      refusal = owner.cache.keep(
        stored, for: owner.key, askedBy: owner.exchange.asker, since: start)
      ttl = stored.ttl(now: now)
    case .refuse(.method):
      // Nothing is kept of other methods, and nothing has to be said about it.
      response = response.withCacheStatus(status())
      return
    case .refuse(let reason):
      refusal = reason.words
      // What was kept of the target is not what the server says any more.
      if validation != nil { owner.cache.forget(owner.key) }
    }
    note(refusal.map { "not stored: \($0)" } ?? "stored")
    response = response.withCacheStatus(
      status(
        isStored: refusal == nil, ttl: refusal == nil ? ttl : nil,
        detail: refusal.map { "not stored: \($0)" }))
  }

  private func giveStale(in response: inout RESTResponse, by validation: CacheValidation) {
    let code = response.statusCode
    guard let answer = stale(validation, after: .status(code)) else {
      response = response.withCacheStatus(status())
      return
    }
    note("stale hit: the server answered \(code)")
    response = response.replacing(head: answer.head, data: answer.data).withCacheStatus(
      status(
        code: code, ttl: answer.freshness.ttl, detail: "stale: the server answered \(code)"))
  }

  private func stale(
    _ validation: CacheValidation, after failure: CacheValidation.Failure
  ) -> CachedAnswer? {
    let cache = owner.cache
    return validation.answer(
      after: failure, to: owner.request, allowsDisconnected: cache.servesStaleWhenUnreachable,
      now: cache.now)
  }

  /// - Returns: Why they are not kept; nil where they are.
  private func keepAll(_ responses: [StoredResponse]) -> String? {
    guard !responses.isEmpty else {
      owner.cache.forget(owner.key)
      return "no-store"
    }
    var refusal: String?
    for response in responses {
      refusal =
        owner.cache.keep(
          response, for: owner.key, askedBy: owner.exchange.asker, since: start) ?? refusal
    }
    return refusal
  }

  private func note(_ words: @autoclosure () -> String) {
    owner.exchange.record(.cache(words(), isAnswer: false))
  }

  private func status(
    code: Int? = nil, isStored: Bool = false, ttl: Int? = nil, detail: String? = nil
  ) -> CacheStatus {
    .forwarded(
      decision.reason, status: code, isStored: isStored, ttl: ttl, detail: detail)
  }
}

extension Error {
  /// Whether no server could be asked: what it is not trusted for, or said wrongly, is none of that.
  fileprivate var isAbsence: Bool {
    guard let fault = (self as? RESTError)?.underlyingError as? TransportError else { return false }
    switch fault.kind {
    case .hostNotFound, .connectionRefused, .connectFailed, .connectionClosedBeforeResponse,
      .connectionReset, .bodyCut, .timedOut, .sendFailed:
      return true
    case .unsupportedURL, .invalidRequest, .tlsFailed, .malformedResponse, .undecodableBody,
      .limitExceeded, .engineUnavailable, .invalidOptions, .other:
      return false
    }
  }
}
