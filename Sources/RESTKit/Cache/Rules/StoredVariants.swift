/// Which of the answers kept for a target can be chosen for a request (RFC 9111 §4.1).
enum StoredVariants {
  /// Those whose varying fields the request matches, best first.
  ///
  /// One with a `Vary` goes before one without: a server that leaves it out of its default answer would
  /// else have that one chosen for all. Of the rest the latest is the best.
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
