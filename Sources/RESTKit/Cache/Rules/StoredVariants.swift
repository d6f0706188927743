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
