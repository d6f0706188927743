/// How old an answer is, and how old it may become (RFC 9111 §4.2).
struct Freshness: Hashable, Sendable {
  enum Kind: Sendable {
    /// The server said it, if only by something invalid.
    case explicit
    /// The cache took a part of the time since the last modification (RFC 9111 §4.2.2).
    case heuristic
    /// Nobody said anything.
    case none
  }

  let kind: Kind
  /// In seconds.
  let lifetime: Double
  /// In seconds.
  let age: Double

  var isFresh: Bool { lifetime > age }

  /// For how many seconds it has been stale; below zero while it is fresh.
  var staleness: Double { age - lifetime }

  /// For how many whole seconds it stays fresh; below zero once it is stale.
  var ttl: Int { Int((lifetime - age).rounded(.down)) }
}
