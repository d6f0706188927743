import Foundation

/// The request's fields that a response depends on (RFC 9111 §4.1).
enum VaryingFields {
  /// Returns the names in all lines of `Vary`, in lower case; nil if one of them is `*`.
  static func names(of headers: HTTPHeaders) -> [String]? {
    var names: [String] = []
    for (name, value) in headers where HTTPHeaders.isSameName(name, "Vary") {
      for member in FieldMembers.split(value) {
        guard member != "*" else { return nil }
        names.append(member.lowercased())
      }
    }
    return names
  }

  /// Returns the request's values of the fields that a response depends on; nil for `Vary: *`.
  static func values(for headers: HTTPHeaders, in request: CacheRequest) -> [String: ExactText?]? {
    guard var names = names(of: headers) else { return nil }
    // A request that names codings itself gets the body as it was sent; any other a decoded one.
    if headers.contains("Content-Encoding") { names.append("accept-encoding") }
    return Dictionary(
      names.map { name in
        (name, request.value(of: name).map { ExactText(normalized($0, of: name)) })
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether a request has the same values of these fields as the request of the response.
  static func match(_ varying: [String: ExactText?], _ request: CacheRequest) -> Bool {
    for (name, expected) in varying {
      let value = request.value(of: name).map { ExactText($0) }
      // Most values are written in the same way, and are compared without making new ones.
      if value == expected { continue }
      guard let value, let expected,
        normalized(value.text, of: name).isExactly(expected.text)
      else { return false }
    }
    return true
  }

  /// Returns the normal form of a value, which equal values share.
  ///
  /// Only what the specification of the field calls equal has one normal form: of the fields of RFC
  /// 9110 §12.5, blanks and empty members have no meaning, nor has the case of names. The order of
  /// members may have one, as servers read it. The syntax of any other field is unknown, so its
  /// value is the bytes between the blanks at its ends.
  static func normalized(_ value: String, of name: String) -> String {
    switch name {
    case "accept-encoding", "accept-language", "accept-charset":
      FieldMembers.split(value).map { member in
        String(decoding: member.utf8.filter { !$0.isBlank }, as: UTF8.self).lowercased()
      }.joined(separator: ",")
    case "accept": FieldMembers.split(value).joined(separator: ",")
    default: String(value[...].trimmingBlanks)
    }
  }
}

/// The selection among the stored responses of a target for a request (RFC 9111 §4.1).
enum StoredVariants {
  /// Returns the responses whose varying fields match the request, best first.
  ///
  /// A response with a `Vary` precedes one without. Otherwise a server's default response without
  /// `Vary` would be selected for all requests. Among the others, the latest is the best.
  static func candidates(
    for request: CacheRequest, among stored: [StoredResponse]
  ) -> [StoredResponse] {
    if stored.count == 1 {
      return VaryingFields.match(stored[0].varying, request) ? stored : []
    }
    let matching = stored.filter { VaryingFields.match($0.varying, request) }
    guard matching.count > 1 else { return matching }
    return
      matching
      .map { (response: $0, rules: $0.rules) }
      .sorted { one, other in
        if one.rules.hasVary != other.rules.hasVary { return one.rules.hasVary }
        if one.rules.date != other.rules.date { return one.rules.date > other.rules.date }
        return one.response.responseTime > other.response.responseTime
      }
      .map(\.response)
  }
}

/// The form of a fresh response that a request receives, from the request's conditions and range.
enum SelectedForm {
  /// - Returns: nil if only the server can decide.
  static func form(
    of stored: StoredResponse, rules: ResponseRules, for request: CacheRequest, now: Date
  ) -> CachedResponse.Form? {
    let whole: CachedResponse.Form = request.method == .head ? .head : .whole
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

  /// Whether the client already has the response (RFC 9111 §4.3.2, RFC 9110 §13.2.2).
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
