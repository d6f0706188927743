import Foundation

/// What a server says that it still takes: how many requests, and for how long that counts.
public struct RateLimitQuota: Sendable, Hashable {
  /// How many further requests the server takes.
  public let remaining: Int
  /// The time until there are more; nil where the server does not say.
  public let reset: Duration?
}

extension HTTPHeaders {
  /// What the server says of its limit of requests; nil where it says nothing that can be read.
  ///
  /// It is read from `RateLimit` and `RateLimit-Policy`, in the forms of
  /// draft-ietf-httpapi-ratelimit-headers since version 7, from `RateLimit-Remaining` and
  /// `RateLimit-Reset` of the versions before, and from `X-RateLimit-Remaining` and `X-RateLimit-Reset`,
  /// also as `X-Rate-Limit-…`; the first of these that is there counts. Of several limits it is the one
  /// with the fewest requests left, and of equals the one that lasts longest; one without a reset counts as
  /// the longest. A reset in a field of its own may be a number of seconds, or a time
  /// in seconds or milliseconds since 1970, which is compared with the response's own `Date`.
  ///
  /// - Parameter now: The time of day, for a response without a `Date`.
  public func rateLimitQuota(now: Date = Date()) -> RateLimitQuota? {
    rateLimitQuota(now: now, unknownReset: .seconds(RetryAfter.longest))
  }

  /// - Parameter unknownReset: How long a limit without a reset lasts.
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
        remaining: remaining, reset: reset.map { .seconds(secondsUntil(reset: $0, now: now)) })
    }
    return nil
  }

  /// - Parameter reset: Seconds from now, or since 1970, or milliseconds since 1970.
  private func secondsUntil(reset: Int, now: Date) -> Int {
    // No limit is for 31 years, and no clock shows the year 2001.
    guard reset >= 1_000_000_000 else { return reset }
    let moment = reset >= 100_000_000_000 ? reset / 1_000 : reset
    let here = Int(exactly: now.timeIntervalSince1970.rounded(.down)) ?? 0
    let server = self["Date"].flatMap { HTTPDate.secondsSince1970($0, now: here) } ?? here
    return Swift.min(Swift.max(moment - server, 0), RetryAfter.longest)
  }
}
