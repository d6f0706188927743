/// Reads the dates of header fields (RFC 9110 §5.6.7).
///
/// All three forms are read: `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. Letters may be of any case, and
/// `UTC` may stand for `GMT`, which it is. The day of the week has to be one, but not the right one:
/// the rest says it all. A leap second is the first second of the next minute. Days that do not
/// exist, other zones and anything before or after are refused.
package enum HTTPDate {
  private static let weekdays = [
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "monday", "tuesday", "wednesday", "thursday",
    "friday", "saturday", "sunday",
  ]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let zones = ["gmt", "utc"]

  /// Reads a whole text.
  ///
  /// - Parameters:
  ///   - text: The date.
  ///   - now: The time in seconds since 1970, which a year of two digits is read by.
  /// - Returns: Seconds since 1970; nil for what is no date.
  package static func secondsSince1970(_ text: String, now: Int) -> Int? {
    var reader = FieldReader(text)
    guard let seconds = read(from: &reader, now: now), reader.isAtEnd else { return nil }
    return seconds
  }

  /// Reads a date that comes next.
  static func read(from reader: inout FieldReader, now: Int) -> Int? {
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

  private static func asctime(_ reader: inout FieldReader) -> Int? {
    guard reader.take(" "), let month = reader.word(of: months), reader.take(" "),
      let day = reader.take(" ") ? reader.number(digits: 1) : reader.number(digits: 2),
      reader.take(" "), let time = time(&reader), reader.take(" "),
      let year = reader.number(digits: 4)
    else { return nil }
    return seconds(year, month + 1, day, time)
  }

  /// The seconds of a day.
  private static func time(_ reader: inout FieldReader) -> Int? {
    guard let hour = reader.number(digits: 2), hour < 24, reader.take(":"),
      let minute = reader.number(digits: 2), minute < 60, reader.take(":"),
      let second = reader.number(digits: 2), second <= 60
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int? {
    guard year > 0, day > 0, day <= GregorianCalendar.days(inMonth: month, of: year) else {
      return nil
    }
    return GregorianCalendar.daysSince1970(year: year, month: month, day: day) * 86_400 + time
  }

  /// The latest century that makes a date no more than 50 years from now, as the RFC has it.
  private static func century(of now: Int, _ date: (Int) -> Int?) -> Int? {
    let fiftyYears = 1_577_847_600
    let centuries = stride(from: 9_900, through: 1_900, by: -100)
    // A leap day is in some centuries only.
    return centuries.lazy.compactMap(date).first { $0 - fiftyYears <= now }
  }
}
