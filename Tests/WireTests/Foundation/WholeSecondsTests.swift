import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Dates in whole seconds, past the end of 32 bits and of calendars")
struct WholeSecondsTests {
  private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  @Test(
    "Seconds are rounded down, and have 64 bits",
    arguments: [
      (0, 0), (0.9, 0), (-0.1, -1), (2_147_483_647.5, 2_147_483_647),
      (2_147_483_648, 2_147_483_648), (-2_147_483_649, -2_147_483_649),
      (4_102_444_800, 4_102_444_800), (253_402_300_799, 253_402_300_799),
      (999_999_999_999_999, 999_999_999_999_999), (-999_999_999_999_999, -999_999_999_999_999),
    ] as [(Double, Int64)])
  func rounded(seconds: Double, whole: Int64) {
    // `Date` counts from 2001, which costs large numbers their fraction.
    #expect(date(seconds).wholeSecondsSince1970 == whole)
  }

  @Test(
    "A date that no calendar has is zero, and ends nothing",
    arguments: [1e15, -1e15, 1e300, -1e300, .infinity, -.infinity, .nan] as [Double])
  func impossible(seconds: Double) {
    #expect(date(seconds).wholeSecondsSince1970 == 0)
  }

  @Test(
    "A date past 2038 is written and read, one that has no text becomes the nearest that has",
    arguments: [
      (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
      (4_070_908_800, "Thu, 01 Jan 2099 00:00:00 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
      (-62_135_596_801, "Mon, 01 Jan 0001 00:00:00 GMT"),
      (1e15, "Fri, 31 Dec 9999 23:59:59 GMT"), (-1e15, "Mon, 01 Jan 0001 00:00:00 GMT"),
      (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"), (-.infinity, "Mon, 01 Jan 0001 00:00:00 GMT"),
      (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ] as [(Double, String)])
  func texts(seconds: Double, text: String) {
    #expect(CacheDate.text(date(seconds)) == text)
    let read = CacheDate.seconds(text, now: date(seconds))
    #expect(read.map { CacheDate.text(date($0)) } == text)
  }

  @Test("A clock that shows an impossible time reads a date of two digits, too")
  func clocks() {
    for seconds in [1e300, -1e300, .infinity, .nan] as [Double] {
      #expect(
        CacheDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: date(seconds)) == 784_111_777)
    }
  }
}
