import Foundation

/// The reader and writer of dates in a cache.
enum CacheDate {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads a date, in upper or lower case.
  ///
  /// A zone other than GMT makes it invalid (RFC 9111 §4.2).
  ///
  /// - Parameter now: The reference for a year of two digits.
  /// - Returns: Seconds since 1970.
  static func seconds(_ text: String, now: Date) -> Double? {
    let zone = text.utf8.suffix(3).map { $0 | 0x20 }
    guard zone != Array("utc".utf8) else { return nil }
    return HTTPDate.secondsSince1970(text, now: now.wholeSecondsSince1970).map(Double.init)
  }

  /// Returns a text such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
  ///
  /// A date outside of the years 1 to 9999, which has no such text, becomes the nearest one that
  /// has. A date that is no number becomes the beginning of 1970.
  static func text(_ date: Date) -> String {
    let (first, last) = (-62_135_596_800 as Int64, 253_402_300_799 as Int64)
    let moment = date.timeIntervalSince1970
    let seconds =
      if moment < Double(first) { first } else if moment > Double(last) { last } else {
        date.wholeSecondsSince1970
      }
    let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: 86_400)
    // The days of those years, and the seconds of a day, fit into any integer.
    let days = Int(clamping: remainder < 0 ? quotient - 1 : quotient)
    let rest = Int(clamping: remainder < 0 ? remainder + 86_400 : remainder)
    var year = 1970 + days / 366
    while GregorianCalendar.daysSince1970(year: year + 1, month: 1, day: 1) <= days { year += 1 }
    while GregorianCalendar.daysSince1970(year: year, month: 1, day: 1) > days { year -= 1 }
    var month = 12
    while GregorianCalendar.daysSince1970(year: year, month: month, day: 1) > days { month -= 1 }
    let day = days - GregorianCalendar.daysSince1970(year: year, month: month, day: 1) + 1
    let weekday = weekdays[((days % 7) + 7) % 7]
    let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(twoDigits).joined(separator: ":")
    let yearText = String(repeating: "0", count: 4 - String(year).count) + String(year)
    return "\(weekday), \(twoDigits(day)) \(months[month - 1]) \(yearText) \(time) GMT"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : String(number)
  }
}
