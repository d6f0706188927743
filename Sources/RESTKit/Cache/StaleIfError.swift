import Streams

/// The rule of a relay that replaces a failure with a stale response, if that is allowed.
///
/// Each caller of a shared exchange has its own: one caller may accept a response that another
/// refuses.
struct StaleIfError: RelayRule {
  private let owner: CacheLookup
  private let validation: CacheValidation

  init(_ owner: CacheLookup, _ validation: CacheValidation) {
    self.owner = owner
    self.validation = validation
  }

  func successor(of response: inout RESTResponse) -> RelayLeg<Self>? {
    let code = response.statusCode
    // Any other status has more information: that the response is stored, why it is not, or what it
    // replaces.
    guard 500...599 ~= code,
      case .forwarded(let reason, nil, false, let isCollapsed, nil, nil) = response.cacheStatus,
      let cached = stale(after: .status(code))
    else { return nil }
    owner.exchange.record(.cache("stale hit: the server answered \(code)", answersCall: false))
    response = response.replacing(head: cached.head, data: cached.data).withCacheStatus(
      .forwarded(
        reason, status: code, isCollapsed: isCollapsed, ttl: cached.freshness.ttl,
        detail: "stale: the server answered \(code)"))
    return nil
  }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? {
    guard case .failure(let error) = end, let (failure, reason) = error.absence,
      let cached = stale(after: failure)
    else { return nil }
    owner.exchange.record(.cache("stale hit: \(reason)", answersCall: false))
    let response = RESTResponse(
      head: cached.head, data: cached.data, request: RequestSummary(owner.exchange.request),
      cacheStatus: .forwarded(
        CacheDecision.validate(validation).reason, ttl: cached.freshness.ttl,
        detail: "stale: \(reason)"))
    return RelayLeg(
      Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher(), rule: self)
  }

  private func stale(after failure: CacheValidation.Failure) -> CachedResponse? {
    let cache = owner.cache
    return validation.answer(
      after: failure, to: owner.request, allowsDisconnected: cache.servesStaleWhenUnreachable,
      now: cache.now)
  }
}

extension Error {
  /// The reason why no server answered; nil if one did, or for another failure.
  ///
  /// An untrusted server or an invalid response does not count. A status of which only the body
  /// cannot be read is the server's answer.
  fileprivate var absence: (CacheValidation.Failure, String)? {
    guard let error = self as? RESTError else { return nil }
    if error.kind == .rateLimit { return (.disconnected, "the RateLimiter refused the request") }
    guard let fault = error.underlyingError as? TransportError else { return nil }
    if let code = error.response?.statusCode, !(200...299 ~= code) {
      return 500...599 ~= code ? (.status(code), "the server answered \(code)") : nil
    }
    switch fault.kind {
    case .hostNotFound, .connectionRefused, .connectFailed, .connectionClosedBeforeResponse,
      .connectionReset, .bodyCut, .timedOut, .sendFailed:
      return (.disconnected, "the server cannot be reached")
    case .unsupportedURL, .invalidRequest, .tlsFailed, .malformedResponse, .undecodableBody,
      .limitExceeded, .engineUnavailable, .invalidOptions, .other:
      return nil
    }
  }
}
