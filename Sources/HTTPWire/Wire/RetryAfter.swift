/// A reader for `Retry-After`, the time after which the server wants the next request (RFC 9110
/// §10.2.3).
///
/// The value is a number of seconds or a date, see ``HTTPDate``. A proxy may join several values in
/// one line, and there may be several lines: they are read as a list. The longest wait counts, so
/// that a retry never comes earlier than any value asks. Any other line is ignored.
package enum RetryAfter {
  /// The upper limit of a wait, for larger numbers and later dates: 68 years (RFC 9111 §1.2.2).
  package static let longest: Int64 = 1 << 31

  /// Reads one line.
  ///
  /// - Parameters:
  ///   - line: The field's value.
  ///   - now: The server's time in seconds since 1970, which dates are compared with.
  /// - Returns: The wait in seconds, zero for a date in the past, or nil if the line is not valid.
  static func seconds(_ line: String, now: Int64) -> Int64? {
    var reader = FieldReader(line)
    var longest: Int64 = 0
    repeat {
      reader.skipBlanks()
      guard let wait = read(from: &reader, now: now) else { return nil }
      longest = max(longest, wait)
      reader.skipBlanks()
    } while reader.take(",")
    return reader.isAtEnd ? longest : nil
  }

  private static func read(from reader: inout FieldReader, now: Int64) -> Int64? {
    if let seconds = reader.number(upTo: longest) { return seconds }
    guard let date = HTTPDate.read(from: &reader, now: now) else { return nil }
    return date <= now ? 0 : min(date - max(now, 0), longest)
  }
}
