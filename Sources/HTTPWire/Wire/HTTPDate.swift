/// A reader for the dates of header fields (RFC 9110 §5.6.7).
///
/// It reads all three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94
/// 08:49:37 GMT` and `Sun Nov 6 08:49:37 1994`. Letters may have any case, and `UTC` may replace
/// `GMT`, which means the same. The text must have a day of the week, but not the right one, since
/// the rest determines the date. A leap second counts as the first second of the next minute.
/// Nonexistent days, other zones and any text before or after the date are refused.
package enum HTTPDate {
  private static let weekdays = [
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "monday", "tuesday", "wednesday", "thursday",
    "friday", "saturday", "sunday",
  ]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let zones = ["gmt", "utc"]

  /// Reads a text that is a date and nothing else.
  ///
  /// - Parameters:
  ///   - text: The date.
  ///   - now: The present time in seconds since 1970, which decides the century of a two-digit
  ///     year.
  /// - Returns: Seconds since 1970, or nil if the text is not a date.
  package static func secondsSince1970(_ text: String, now: Int64) -> Int64? {
    var reader = FieldReader(text)
    guard let seconds = read(from: &reader, now: now), reader.isAtEnd else { return nil }
    return seconds
  }

  /// Reads the date that comes next.
  static func read(from reader: inout FieldReader, now: Int64) -> Int64? {
    guard reader.word(of: weekdays) != nil else { return nil }
    guard reader.take(",") else { return asctime(&reader) }
    guard reader.take(" "), let day = reader.number(digits: 2) else { return nil }
    let isObsolete = reader.take("-")
    guard isObsolete || reader.take(" "), let month = reader.word(of: months),
      reader.take(isObsolete ? "-" : " "), let year = reader.number(digits: isObsolete ? 2 : 4),
      reader.take(" "), let time = time(&reader), reader.take(" "), reader.word(of: zones) != nil
    else { return nil }
    guard isObsolete else { return seconds(year, month + 1, day, time) }
    return century(of: now) { seconds($0 + year, month + 1, day, time) }
  }

  private static func asctime(_ reader: inout FieldReader) -> Int64? {
    guard reader.take(" "), let month = reader.word(of: months), reader.take(" "),
      let day = reader.take(" ") ? reader.number(digits: 1) : reader.number(digits: 2),
      reader.take(" "), let time = time(&reader), reader.take(" "),
      let year = reader.number(digits: 4)
    else { return nil }
    return seconds(year, month + 1, day, time)
  }

  /// Reads a time of day, in seconds since midnight.
  private static func time(_ reader: inout FieldReader) -> Int? {
    guard let hour = reader.number(digits: 2), hour < 24, reader.take(":"),
      let minute = reader.number(digits: 2), minute < 60, reader.take(":"),
      let second = reader.number(digits: 2), second <= 60
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
    guard year > 0, day > 0, day <= GregorianCalendar.days(inMonth: month, of: year) else {
      return nil
    }
    let days = GregorianCalendar.daysSince1970(year: year, month: month, day: day)
    return Int64(days) * 86_400 + Int64(time)
  }

  /// Returns the date in the latest century that puts it at most 50 years into the future, as the
  /// RFC demands.
  private static func century(of now: Int64, _ date: (Int) -> Int64?) -> Int64? {
    let fiftyYears: Int64 = 1_577_847_600
    let centuries = stride(from: 9_900, through: 1_900, by: -100)
    // Only some centuries have the leap day.
    return centuries.lazy.compactMap(date).first { $0 - fiftyYears <= now }
  }
}
