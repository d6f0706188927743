import Foundation

/// The rest of a server's limit of requests, and its duration.
public struct RateLimitQuota: Sendable, Hashable {
  /// The number of further requests that the server accepts.
  public let remaining: Int
  /// The time until the limit is renewed; nil if the server does not say.
  public let reset: Duration?
}

extension HTTPHeaders {
  /// Returns the server's limit of requests; nil if the fields are missing or cannot be read.
  ///
  /// The fields are `RateLimit` and `RateLimit-Policy`, in the forms of
  /// draft-ietf-httpapi-ratelimit-headers since version 7; `RateLimit-Remaining` and
  /// `RateLimit-Reset` of earlier versions; `X-RateLimit-Remaining` and `X-RateLimit-Reset`, also
  /// as `X-Rate-Limit-…`. The first of these that is present counts. Of several limits, the one
  /// with the fewest remaining requests counts, and of equal ones the one that lasts longest. A
  /// limit without a reset counts as the longest. A reset in a field of its own may be a number of
  /// seconds, or a time in seconds or milliseconds since 1970. Such a time is compared with the
  /// response's own `Date`.
  ///
  /// - Parameter now: The time of day, for a response without a `Date`.
  public func rateLimitQuota(now: Date = Date()) -> RateLimitQuota? {
    rateLimitQuota(now: now, unknownReset: .seconds(RetryAfter.longest))
  }

  /// - Parameter unknownReset: The duration of a limit without a reset.
  func rateLimitQuota(now: Date, unknownReset: Duration) -> RateLimitQuota? {
    let limits = values(for: "RateLimit")
    if !limits.isEmpty,
      let quota = RateLimitReader(policies: values(for: "RateLimit-Policy"))
        .quota(in: limits, unknownReset: unknownReset)
    {
      return quota
    }
    for prefix in ["RateLimit", "X-RateLimit", "X-Rate-Limit"] {
      guard let text = values(for: prefix + "-Remaining").first,
        let remaining = RateLimitReader.number(text)
      else { continue }
      let reset = values(for: prefix + "-Reset").first.flatMap { RateLimitReader.number($0) }
      return RateLimitQuota(
        remaining: Int(clamping: remaining),
        reset: reset.map { .seconds(secondsUntil(reset: $0, now: now)) })
    }
    return nil
  }

  /// - Parameter reset: A number of seconds from now, of seconds since 1970, or of milliseconds
  ///   since 1970.
  private func secondsUntil(reset: Int64, now: Date) -> Int64 {
    // No limit lasts 31 years, and no clock shows the year 2001.
    guard reset >= 1_000_000_000 else { return reset }
    let moment = reset >= 100_000_000_000 ? reset / 1_000 : reset
    let here = now.wholeSecondsSince1970
    let server = self["Date"].flatMap { HTTPDate.secondsSince1970($0, now: here) } ?? here
    return Swift.min(Swift.max(moment - server, 0), RetryAfter.longest)
  }
}

/// A reader of `RateLimit` in all forms of its draft.
///
/// Since version 8 the field is a list of limits, `"minute";r=3;t=20`, whose policies are in
/// `RateLimit-Policy`, `"minute";q=100;w=60`. In version 7 it was `limit=100, remaining=3,
/// reset=20`.
private struct RateLimitReader {
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
