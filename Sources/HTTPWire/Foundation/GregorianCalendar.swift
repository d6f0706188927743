/// The Gregorian calendar, applied to all years from 1 on, as in ISO 8601.
package enum GregorianCalendar {
  /// Returns the number of days in a month.
  ///
  /// - Parameter month: 1...12.
  static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2:
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the number of days from 1970-01-01 to an existing day.
  package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    // Years are counted from March, so that the leap day is the last of its year.
    let years = month > 2 ? year : year - 1
    let monthsSinceMarch = (month + 9) % 12
    let daysBeforeMonth = (153 * monthsSinceMarch + 2) / 5
    let daysBeforeYear = 365 * years + years / 4 - years / 100 + years / 400
    // 719,468 days lie between March 1 of year 0 and January 1, 1970.
    return daysBeforeYear + daysBeforeMonth + day - 1 - 719_468
  }
}
