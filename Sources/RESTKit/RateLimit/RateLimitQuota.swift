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
  /// draft-ietf-httpapi-ratelimit-headers since version 7; `RateLimit-Remaining` and `RateLimit-Reset`
  /// of earlier versions; `X-RateLimit-Remaining` and `X-RateLimit-Reset`, also as `X-Rate-Limit-…`.
  /// The first of these that is present counts. Of several limits, the one with the fewest remaining
  /// requests counts, and of equal ones the one that lasts longest. A limit without a reset counts as
  /// the longest. A reset in a field of its own may be a number of seconds, or a time in seconds or
  /// milliseconds since 1970. Such a time is compared with the response's own `Date`.
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

  /// - Parameter reset: A number of seconds from now, of seconds since 1970, or of milliseconds since
  ///   1970.
  private func secondsUntil(reset: Int64, now: Date) -> Int64 {
    // No limit lasts 31 years, and no clock shows the year 2001.
    guard reset >= 1_000_000_000 else { return reset }
    let moment = reset >= 100_000_000_000 ? reset / 1_000 : reset
    let here = now.wholeSecondsSince1970
    let server = self["Date"].flatMap { HTTPDate.secondsSince1970($0, now: here) } ?? here
    return Swift.min(Swift.max(moment - server, 0), RetryAfter.longest)
  }
}
