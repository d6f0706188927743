import Foundation

/// A question to the server whether what is kept still holds (RFC 9111 §4.3).
struct CacheValidation: Sendable {
  enum Reason: Sendable {
    case stale
    /// The request wants it so.
    case request
    /// The response does, each time.
    case noCache
    /// An unsafe method or a HEAD said that it may have changed.
    case invalidated

    var words: String {
      switch self {
      case .stale: "what is stored is stale"
      case .request: "the request asks for it"
      case .noCache: "no-cache in the response"
      case .invalidated: "what is stored was invalidated"
      }
    }
  }

  /// What the answer means.
  enum Outcome: Sendable {
    /// A 304: the kept response is the answer, with what the 304 said of it. What is to be kept in the
    /// places of those it confirms stands in `keep`; where it is empty, what was kept has to go.
    case confirmed(head: ResponseHead, data: Data, keep: [StoredResponse])
    /// A 304 about none of those that are kept: the request has to go again, without the conditions.
    case unmatched
    /// Another answer, which is the one to give. ``StorageDecision`` says whether it is kept; where it
    /// is not, what was kept for the target has to go.
    case replaced
    /// An answer to give that says nothing about what is kept, such as 401 or 429: that stays.
    case unanswered
    /// A 200 to HEAD, which is the one to give, and what it makes of those that are kept.
    case freshened(keep: [StoredResponse])
    /// A server error: it may be passed on, or something stale be given in its place. What is kept stays.
    case failed
  }

  /// Why no answer came that says something about what is kept.
  enum Failure: Hashable, Sendable {
    case disconnected
    /// An answer of the class 5xx.
    case status(Int)
  }

  /// Those that the answer can be about, the one to give first.
  let candidates: [StoredResponse]
  let reason: Reason
  /// The header fields that make the request a question; none where nothing kept can be asked about.
  let fields: [HTTPHeaders.Element]

  init(_ candidates: [StoredResponse], reason: Reason) {
    self.candidates = candidates
    self.reason = reason
    var fields: [HTTPHeaders.Element] = []
    let rules = candidates.map(\.rules)
    // A tag without quotes would be lost among others.
    let tags = rules.compactMap(\.etag).filter { $0.isValid || candidates.count == 1 }
    if !tags.isEmpty {
      var texts: [String] = []
      for tag in tags where !texts.contains(tag.text) { texts.append(tag.text) }
      fields.append((name: "If-None-Match", value: texts.joined(separator: ", ")))
    }
    if rules.count == 1, let date = rules[0].lastModified {
      fields.append((name: "If-Modified-Since", value: date))
    }
    self.fields = fields
  }

  /// Says what an answer to the question means (RFC 9111 §4.3.3).
  func outcome(
    of head: ResponseHead, to request: CacheRequest, requestTime: Date, responseTime: Date
  ) -> Outcome {
    switch head.statusCode {
    case 304:
      let update = ResponseUpdate(
        head, to: request, requestTime: requestTime, responseTime: responseTime)
      let confirmed = update.confirmed(among: candidates, isOwnQuestion: true)
      guard let first = confirmed.first else { return .unmatched }
      return .confirmed(
        head: update.served(first).head, data: request.method == .head ? Data() : first.data,
        keep: confirmed.compactMap { update.kept($0) })
    case 200 where request.method == .head:
      let update = ResponseUpdate(
        head, to: request, requestTime: requestTime, responseTime: responseTime)
      return .freshened(keep: update.freshened(candidates))
    case 500...599: return .failed
    case 401, 403, 407, 408, 421, 425, 429, 431: return .unanswered
    default: return .replaced
    }
  }

  /// The kept answer that may be given in the place of a failure (RFC 9111 §4.2.4, RFC 5861 §4).
  ///
  /// - Parameters:
  ///   - allowsDisconnected: Whether an answer may be given that nobody allowed to be stale, where the
  ///     server cannot be reached, or says that it is not there (502, 503, 504).
  ///   - now: The wall clock.
  /// - Returns: nil where the failure has to be told.
  func answer(
    after failure: Failure, to request: CacheRequest, allowsDisconnected: Bool, now: Date
  ) -> CachedAnswer? {
    guard let chosen = candidates.first, reason != .noCache, reason != .invalidated,
      !request.wantsValidation, !request.refusesStale
    else { return nil }
    let rules = chosen.rules
    let freshness = rules.freshness(now: now)
    guard !rules.control.flags.contains(.mustRevalidate) || freshness.isFresh else { return nil }
    let isAllowed: Bool
    if let window = Self.window(request.control, rules.control) {
      isAllowed = failure.isError && freshness.staleness <= Double(window)
    } else {
      let control = request.control
      // Who names an age does not wish for a stale answer (RFC 9111 §5.2.1.1).
      isAllowed =
        allowsDisconnected && failure.isAbsence && freshness.kind != .none
        && control.maxAge == nil && control.minFresh == nil
        && control.maxStale.map { freshness.staleness <= Double($0) } ?? true
    }
    guard isAllowed else { return nil }
    return CachedAnswer(
      stored: chosen, freshness: freshness, form: request.method == .head ? .head : .whole)
  }

  /// For how long after its end an answer may stand in for an error: the shorter of what both say.
  private static func window(_ request: CacheControl, _ response: CacheControl) -> Int? {
    guard let asked = request.staleIfError else { return response.staleIfError }
    return min(asked, response.staleIfError ?? asked)
  }
}

extension CacheValidation.Failure {
  /// RFC 5861 §4.
  fileprivate var isError: Bool {
    switch self {
    case .disconnected: true
    case .status(let code): code == 500 || isAbsence
    }
  }

  /// Whether the server did as good as not answer.
  fileprivate var isAbsence: Bool {
    switch self {
    case .disconnected: true
    case .status(let code): 502...504 ~= code
    }
  }
}
