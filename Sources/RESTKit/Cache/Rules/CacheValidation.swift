import Foundation

/// A question to the server whether a stored response is still valid (RFC 9111 §4.3).
struct CacheValidation: Sendable {
  enum Reason: Sendable {
    case stale
    /// The request demands it.
    case request
    /// The response demands it each time.
    case noCache
    /// An unsafe method or a HEAD showed that the response may have changed.
    case invalidated

    var words: String {
      switch self {
      case .stale: "the stored response is stale"
      case .request: "the request asks for it"
      case .noCache: "no-cache in the response"
      case .invalidated: "the stored response was invalidated"
      }
    }
  }

  /// The meaning of the server's response.
  enum Outcome: Sendable {
    /// A 304: the stored response is delivered with the fields of the 304. `keep` has the updated
    /// responses to store. If it is empty, the stored ones must be removed.
    case confirmed(head: ResponseHead, data: Data, keep: [StoredResponse])
    /// A 304 that matches no stored response: the request must be sent again, without the
    /// conditions.
    case unmatched
    /// Another response, which is delivered. ``StorageDecision`` decides whether it is stored. If
    /// it is not, the stored responses of the target must be removed.
    case replaced
    /// A response that is delivered but says nothing about the stored ones, such as 401 or 429.
    /// They remain.
    case unanswered
    /// A 200 to HEAD, which is delivered, and its effect on the stored responses.
    case freshened(keep: [StoredResponse])
    /// A server error, which is delivered or replaced by a stale response. The stored responses
    /// remain.
    case failed
  }

  /// The reason why the server did not answer the question.
  enum Failure: Hashable, Sendable {
    case disconnected
    /// A response of the class 5xx.
    case status(Int)
  }

  /// The responses that the question is about.
  ///
  /// The first one is to be delivered.
  let candidates: [StoredResponse]
  let reason: Reason
  /// The header fields that make the request conditional; none if no stored response can be
  /// validated.
  let fields: [HTTPHeaders.Element]

  init(_ candidates: [StoredResponse], reason: Reason) {
    self.candidates = candidates
    self.reason = reason
    var fields: [HTTPHeaders.Element] = []
    let rules = candidates.map(\.rules)
    // A tag without quotes is ambiguous in a list.
    let tags = rules.compactMap(\.etag).filter { $0.isValid || candidates.count == 1 }
    if let list = Self.list(tags) { fields.append((name: "If-None-Match", value: list)) }
    if rules.count == 1, let date = rules[0].lastModified {
      fields.append((name: "If-Modified-Since", value: date))
    }
    self.fields = fields
  }

  /// The maximum length of all tags in a field, in bytes.
  ///
  /// Servers refuse heads of more than 8 KiB.
  private static let mostTagBytes = 4_096

  /// Returns as many tags as fit the limit, the first ones before the others; nil if none fits.
  private static func list(_ tags: [EntityTag]) -> String? {
    var texts: [String] = []
    var size = 0
    for tag in tags where !texts.contains(where: tag.text.isExactly) {
      let length = tag.text.utf8.count + 2
      guard size + length <= mostTagBytes else { continue }
      size += length
      texts.append(tag.text)
    }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  /// Returns the meaning of the server's response (RFC 9111 §4.3.3).
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

  /// Returns the stored response that may replace a failure (RFC 9111 §4.2.4, RFC 5861 §4).
  ///
  /// - Parameters:
  ///   - allowsDisconnected: Whether a stale response is allowed without a directive, if the server
  ///     cannot be reached or responds with 502, 503 or 504.
  ///   - now: The wall clock.
  /// - Returns: nil if the failure must be delivered.
  func answer(
    after failure: Failure, to request: CacheRequest, allowsDisconnected: Bool, now: Date
  ) -> CachedResponse? {
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
      // A request with a maximum age does not accept a stale response (RFC 9111 §5.2.1.1).
      isAllowed =
        allowsDisconnected && failure.isAbsence
        && control.maxAge == nil && control.minFresh == nil
        && control.maxStale.map { freshness.staleness <= Double($0) } ?? true
    }
    guard isAllowed else { return nil }
    return CachedResponse(
      stored: chosen, freshness: freshness, form: request.method == .head ? .head : .whole)
  }

  /// Returns the time for which a stale response may replace an error: the shorter one of the
  /// request's and the response's.
  private static func window(_ request: CacheControl, _ response: CacheControl) -> Int64? {
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

  /// Whether the failure counts as no response.
  fileprivate var isAbsence: Bool {
    switch self {
    case .disconnected: true
    case .status(let code): 502...504 ~= code
    }
  }
}

/// An entity tag (RFC 9110 §8.8.3).
///
/// The grammar does not allow a tag without quotes. Such a tag is compared by its bytes, because
/// servers that send it do the same.
struct EntityTag: Sendable {
  /// The tag as it was sent.
  let text: String
  let isWeak: Bool
  /// Whether the tag conforms to the grammar, so that it can be part of a list.
  let isValid: Bool
  private let opaque: Substring

  init(_ text: String) {
    self.text = text
    let isWeak = text.utf8.starts(with: "W/\"".utf8)
    self.isWeak = isWeak
    opaque = isWeak ? Substring(text.utf8.dropFirst(2)) : Substring(text)
    let inner = opaque.utf8
    isValid =
      inner.count >= 2 && inner.first == UInt8(ascii: "\"") && inner.last == UInt8(ascii: "\"")
      && !inner.dropFirst().dropLast().contains(UInt8(ascii: "\""))
  }

  /// Whether both tags mean the same, perhaps not byte for byte (RFC 9110 §8.8.3.2).
  func isWeaklyEqual(to other: EntityTag) -> Bool { opaque.isExactly(other.opaque) }

  /// Whether both tags mean the same bytes.
  func isStronglyEqual(to other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && opaque.isExactly(other.opaque)
  }

  /// Returns the tags of `If-None-Match`; nil for `*`, which any response matches.
  static func list(_ text: String) -> [EntityTag]? {
    guard Substring(text).trimmingBlanks != "*" else { return nil }
    return FieldMembers.split(text, hasEscapes: false).map { EntityTag(String($0)) }
  }
}
