/// A reader of `RateLimit` in all forms of its draft.
///
/// Since version 8 the field is a list of limits, `"minute";r=3;t=20`, whose policies are in
/// `RateLimit-Policy`, `"minute";q=100;w=60`. In version 7 it was `limit=100, remaining=3, reset=20`.
struct RateLimitReader {
  /// The window of each policy in seconds, by the policy's name.
  private let windows: [Substring: Int64]

  init(policies: [String]) {
    var windows: [Substring: Int64] = [:]
    for policy in policies.flatMap({ FieldMembers.split($0) }) {
      let parts = FieldMembers.split(policy, at: ";")
      guard let name = parts.first, windows[name] == nil else { continue }
      windows[name] = Self.parameter("w", of: parts)
    }
    self.windows = windows
  }

  /// Returns the limit with the fewest remaining requests.
  ///
  /// Of equal ones, it is the one with the latest reset.
  ///
  /// - Parameter unknownReset: The duration of a limit without a reset.
  func quota(in lines: [String], unknownReset: Duration) -> RateLimitQuota? {
    let members = lines.flatMap { FieldMembers.split($0) }
    let quotas = members.compactMap(quota) + [Self.dictionary(of: members)].compactMap(\.self)
    return quotas.min {
      ($0.remaining, $1.reset ?? unknownReset) < ($1.remaining, $0.reset ?? unknownReset)
    }
  }

  private func quota(of member: Substring) -> RateLimitQuota? {
    let parts = FieldMembers.split(member, at: ";")
    guard let name = parts.first, let remaining = Self.parameter("r", of: parts) else { return nil }
    let reset = Self.parameter("t", of: parts) ?? windows[name]
    return RateLimitQuota(
      remaining: Int(clamping: remaining), reset: reset.map { .seconds($0) })
  }

  private static func dictionary(of members: [Substring]) -> RateLimitQuota? {
    guard let remaining = number("remaining", of: members) else { return nil }
    let reset = number("reset", of: members)
    return RateLimitQuota(
      remaining: Int(clamping: remaining), reset: reset.map { .seconds($0) })
  }

  private static func parameter(_ name: String, of parts: [Substring]) -> Int64? {
    number(name, of: Array(parts.dropFirst()))
  }

  /// Returns the number after `name=` in one of the parts.
  private static func number(_ name: String, of parts: [Substring]) -> Int64? {
    for part in parts where part.hasPrefix("\(name)=") {
      return number(part.dropFirst(name.count + 1))
    }
    return nil
  }

  /// Parses a number that is not negative.
  ///
  /// A fraction rounds it up.
  static func number(_ text: some StringProtocol) -> Int64? {
    var reader = FieldReader(String(text))
    reader.skipBlanks()
    guard var number = reader.number(upTo: 1 << 53) else { return nil }
    if reader.take(".") {
      guard let fraction = reader.number(upTo: 1) else { return nil }
      number += min(fraction, 1)
    }
    reader.skipBlanks()
    return reader.isAtEnd ? number : nil
  }
}
