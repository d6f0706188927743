import Foundation

extension HTTPHeaders {
  /// Returns the wait that the server asks for with `Retry-After` (RFC 9110 §10.2.3), in seconds or as a
  /// date; nil if no such field is readable.
  ///
  /// A date is compared with the response's own `Date`, so that a wrong clock has no effect. A date in the
  /// past means no wait. If there are several values, the longest wait counts. A wait is at most 68 years.
  ///
  /// - Parameter now: The current time, for a response without a `Date`.
  public func retryAfter(now: Date = Date()) -> Duration? {
    let lines = values(for: "Retry-After")
    guard !lines.isEmpty else { return nil }
    let here = now.wholeSecondsSince1970
    let server = self["Date"].flatMap { HTTPDate.secondsSince1970($0, now: here) }
    return lines.compactMap { RetryAfter.seconds($0, now: server ?? here) }.max()
      .map { .seconds($0) }
  }
}
