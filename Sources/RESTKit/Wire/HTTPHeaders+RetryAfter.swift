import Foundation

extension HTTPHeaders {
  /// How long the server asks to wait before the next request: `Retry-After` (RFC 9110 §10.2.3), in
  /// seconds or as a date; nil where there is none that can be read.
  ///
  /// A date is compared with the response's own `Date`, so that a clock that is wrong does not count;
  /// one in the past is no wait. Of several the longest counts, and none is longer than 68 years.
  ///
  /// - Parameter now: The time of day, for a response without a `Date`.
  public func retryAfter(now: Date = Date()) -> Duration? {
    let lines = values(for: "Retry-After")
    guard !lines.isEmpty else { return nil }
    let here = Int(exactly: now.timeIntervalSince1970.rounded(.down)) ?? 0
    let server = self["Date"].flatMap { HTTPDate.secondsSince1970($0, now: here) }
    return lines.compactMap { RetryAfter.seconds($0, now: server ?? here) }.max()
      .map { .seconds($0) }
  }
}
