/// The age of a response, and its lifetime (RFC 9111 §4.2).
struct Freshness: Hashable, Sendable {
  enum Kind: Sendable {
    /// The server gave the lifetime, perhaps in an invalid form.
    case explicit
    /// The cache computed the lifetime from the last modification (RFC 9111 §4.2.2).
    case heuristic
    /// There is no lifetime.
    case none
  }

  let kind: Kind
  /// In seconds.
  let lifetime: Double
  /// In seconds.
  let age: Double

  var isFresh: Bool { lifetime > age }

  /// The time since the lifetime ended, in seconds; negative while the response is fresh.
  var staleness: Double { age - lifetime }

  /// The remaining lifetime in whole seconds; negative for a stale response.
  var ttl: Int { Int(clamping: Int64((lifetime - age).rounded(.down))) }
}
