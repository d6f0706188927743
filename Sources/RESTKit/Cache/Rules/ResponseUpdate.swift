import Foundation

/// The update of stored responses by a 304, or by a 200 to HEAD (RFC 9111 §3.2, §4.3.4 and §4.3.5).
struct ResponseUpdate: Sendable {
  private let head: ResponseHead
  private let request: CacheRequest
  private let requestTime: Date
  private let responseTime: Date

  init(_ head: ResponseHead, to request: CacheRequest, requestTime: Date, responseTime: Date) {
    self.head = head
    self.request = request
    self.requestTime = requestTime
    self.responseTime = responseTime
  }

  /// Returns the stored responses that a 304 is about (RFC 9111 §4.3.4).
  ///
  /// A 304 without a validator is about the only candidate: servers omit fields of the question.
  ///
  /// - Parameters:
  ///   - candidates: The responses that could be selected, best first.
  ///   - isOwnQuestion: Whether the conditions were the cache's. A 304 to the caller's conditions
  ///     is about the caller's response, unless a validator shows more.
  func confirmed(among candidates: [StoredResponse], isOwnQuestion: Bool) -> [StoredResponse] {
    if let text = head.headers.values(for: "ETag").first {
      let tag = EntityTag(text)
      if !tag.isWeak {
        return candidates.filter { $0.rules.etag?.isStronglyEqual(to: tag) == true }
      }
      let latest = Self.latest(candidates) { $0.rules.etag?.isWeaklyEqual(to: tag) == true }
      return latest.map { [$0] } ?? []
    }
    if let date = head.headers.values(for: "Last-Modified").first {
      let latest = Self.latest(candidates) { $0.rules.lastModified == date }
      return latest.map { [$0] } ?? []
    }
    guard candidates.count == 1 else { return [] }
    return isOwnQuestion || !candidates[0].rules.hasValidator ? candidates : []
  }

  /// Returns the updated responses after a 304 to the caller's own conditions.
  ///
  /// The caller receives the 304 unchanged.
  func confirmedInPassing(among stored: [StoredResponse]) -> [StoredResponse] {
    confirmed(
      among: StoredVariants.candidates(for: request, among: stored), isOwnQuestion: false
    ).compactMap { kept($0) }
  }

  /// Returns the updated candidates after a HEAD (RFC 9111 §4.3.5).
  func freshened(_ candidates: [StoredResponse]) -> [StoredResponse] {
    candidates.map { stored in
      if isSame(as: stored), let kept = kept(stored) { return kept }
      var stale = stored
      stale.isInvalidated = true
      return stale
    }
  }

  /// Returns the response to deliver, with the fields of the new head.
  func served(_ stored: StoredResponse) -> StoredResponse {
    var updated = stored
    updated.head = merged(stored.head)
    updated.requestTime = requestTime
    updated.responseTime = responseTime
    updated.isInvalidated = false
    return updated.readingRules
  }

  /// Returns the response to store; nil if the new head forbids it.
  func kept(_ stored: StoredResponse) -> StoredResponse? {
    var updated = served(stored)
    let rules = updated.rules
    guard !rules.control.flags.contains(.noStore) || rules.control.flags.contains(.mustUnderstand),
      let varying = VaryingFields.values(for: updated.head.headers, in: request)
    else { return nil }
    updated.varying = varying
    updated.head = StoredFields.kept(of: updated.head, rules.control)
    updated.knownRules = rules
    return updated
  }

  private func merged(_ stored: ResponseHead) -> ResponseHead {
    let excluded = StoredFields.connectionFields(of: head.headers)
    let new = head.headers.filter { field in
      !StoredFields.isOfConnection(field.name, excluded)
        && !StoredFields.dependsOnData.contains { HTTPHeaders.isSameName($0, field.name) }
    }
    var headers = stored.headers
    // The former age and date do not apply to a response that was just confirmed.
    headers.remove("Age")
    headers.remove("Date")
    // A server can send thousands of fields.
    let replaced = Set(new.map { $0.name.lowercased() })
    headers = HTTPHeaders(headers.filter { !replaced.contains($0.name.lowercased()) } + new)
    if !headers.contains("Date") {
      headers.append(name: "Date", value: CacheDate.text(responseTime))
    }
    return ResponseHead(
      url: stored.url, statusCode: stored.statusCode, httpVersion: stored.httpVersion,
      headers: headers)
  }

  private func isSame(as stored: StoredResponse) -> Bool {
    let headers = head.headers
    for name in ["ETag", "Last-Modified"] where headers.contains(name) {
      guard headers[name].map(ExactText.init) == stored.head.headers[name].map(ExactText.init)
      else { return false }
    }
    guard let length = headers["Content-Length"] else { return true }
    let isDecoded = stored.head.headers.contains("Content-Encoding")
    guard let kept = stored.head.headers["Content-Length"] else {
      return isDecoded || length == String(stored.data.count)
    }
    return length == kept
  }

  private static func latest(
    _ candidates: [StoredResponse], where isMatch: (StoredResponse) -> Bool
  ) -> StoredResponse? {
    candidates.filter(isMatch).max { $0.rules.date < $1.rules.date }
  }
}
