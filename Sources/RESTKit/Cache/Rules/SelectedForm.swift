import Foundation

/// The form of a fresh response that a request receives, from the request's conditions and range.
enum SelectedForm {
  /// - Returns: nil if only the server can decide.
  static func form(
    of stored: StoredResponse, rules: ResponseRules, for request: CacheRequest, now: Date
  ) -> CachedAnswer.Form? {
    let whole: CachedAnswer.Form = request.method == .head ? .head : .whole
    // Conditions and ranges apply to a 200 (RFC 9110 §13.2.1 and §14.2).
    guard stored.head.statusCode == 200 else { return whole }
    if isUnmodified(stored, rules, request, now) { return .notModified }
    guard let range = request.range, request.method == .get else { return whole }
    if let condition = request.ifRange {
      // A date is weaker than a tag (RFC 9110 §13.1.5), so the server decides.
      let tag = EntityTag(condition)
      guard tag.isValid else { return nil }
      guard rules.etag?.isStronglyEqual(to: tag) == true else { return whole }
    }
    // The stored body is decoded, but ranges count encoded bytes.
    guard !stored.head.headers.contains("Content-Encoding") else { return nil }
    return bytes(range, of: stored.data.count).map { .range($0) }
  }

  /// Whether the asker already has the response (RFC 9111 §4.3.2, RFC 9110 §13.2.2).
  private static func isUnmodified(
    _ stored: StoredResponse, _ rules: ResponseRules, _ request: CacheRequest, _ now: Date
  ) -> Bool {
    if let condition = request.ifNoneMatch {
      guard let tags = EntityTag.list(condition) else { return true }
      return rules.etag.map { etag in tags.contains { $0.isWeaklyEqual(to: etag) } } ?? false
    }
    guard let condition = request.ifModifiedSince,
      let limit = CacheDate.seconds(condition, now: now)
    else { return false }
    return (rules.lastModifiedSeconds ?? rules.date) <= limit
  }

  /// Returns the one range of a field (RFC 9110 §14.1.2).
  ///
  /// - Returns: nil for other units, for several ranges, and for a range outside the content.
  static func bytes(_ field: String, of count: Int) -> Range<Int>? {
    let unit = field.prefix { $0 != "=" }
    guard unit.lowercased() == "bytes", unit.endIndex < field.endIndex else { return nil }
    var reader = FieldReader(String(field[field.index(after: unit.endIndex)...]))
    reader.skipBlanks()
    let most = Int64.max - 1
    let first = reader.number(upTo: most)
    guard reader.take("-") else { return nil }
    let last = reader.number(upTo: most)
    reader.skipBlanks()
    guard reader.isAtEnd else { return nil }
    let length = Int64(count)
    let range: Range<Int64>
    switch (first, last) {
    case (let first?, let last?) where first <= last && first < length:
      range = first..<min(last + 1, length)
    case (let first?, nil) where first < length: range = first..<length
    case (nil, let last?) where last > 0 && length > 0: range = max(0, length - last)..<length
    default: return nil
    }
    // Both ends are at most the count.
    return Int(clamping: range.lowerBound)..<Int(clamping: range.upperBound)
  }
}
