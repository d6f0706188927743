/// Reads when a server wants to be asked again: `Retry-After` (RFC 9110 §10.2.3).
///
/// It is a number of seconds or a date, see ``HTTPDate``. What a proxy joined to one line, and what
/// stands in several lines, is read as a list: the longest wait counts, so that a retry never comes
/// earlier than anybody asked. A line that is anything else counts for nothing.
enum RetryAfter {
  /// What a number or a date is at most that is further away: 68 years (RFC 9111 §1.2.2).
  static let longest = 1 << 31

  /// Reads one line.
  ///
  /// - Parameters:
  ///   - line: The field's value.
  ///   - now: The server's time in seconds since 1970, which dates are compared with.
  /// - Returns: Seconds to wait, none for a date in the past; nil for what is no such line.
  static func seconds(_ line: String, now: Int) -> Int? {
    var reader = FieldReader(line)
    var longest = 0
    repeat {
      reader.skipBlanks()
      guard let wait = read(from: &reader, now: now) else { return nil }
      longest = max(longest, wait)
      reader.skipBlanks()
    } while reader.take(",")
    return reader.isAtEnd ? longest : nil
  }

  private static func read(from reader: inout FieldReader, now: Int) -> Int? {
    if let seconds = reader.number(upTo: longest) { return seconds }
    guard let date = HTTPDate.read(from: &reader, now: now) else { return nil }
    return date <= now ? 0 : min(date - max(now, 0), longest)
  }
}
