import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("RT-04: dates of header fields")
struct HTTPDateTests {
  /// 2026-11-21 00:00:00.
  private static let now: Int64 = 1_795_219_200

  private func seconds(_ text: String, now: Int64 = now) -> Int64? {
    HTTPDate.secondsSince1970(text, now: now)
  }

  @Test(
    "Each of the three forms is read",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Sun Nov 06 08:49:37 1994", 784_111_777),
      ("Wed Nov 16 08:49:37 1994", 784_975_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
    ])
  func forms(text: String, expected: Int64) {
    #expect(seconds(text) == expected)
  }

  @Test(
    "Letters may have any case, and UTC means GMT",
    arguments: [
      "sun, 06 nov 1994 08:49:37 gmt", "SUN, 06 NOV 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 UTC", "sunday, 06-nov-94 08:49:37 utc",
      "sun nov  6 08:49:37 1994",
    ])
  func cases(text: String) {
    #expect(seconds(text) == 784_111_777)
  }

  @Test("A wrong day of the week is ignored, but it must be a day of the week")
  func weekday() {
    #expect(seconds("Mon, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(seconds("Wednesday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
    #expect(seconds("Foo, 06 Nov 1994 08:49:37 GMT") == nil)
    #expect(seconds("06 Nov 1994 08:49:37 GMT") == nil)
  }

  @Test("A leap second is the first second of the next minute")
  func leapSecond() {
    #expect(seconds("Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
    #expect(seconds("Sat, 31 Dec 2016 23:59:61 GMT") == nil)
  }

  @Test("A year of two digits is at most 50 years ahead")
  func twoDigits() {
    func year(_ digits: String, now: Int64) -> Int64? {
      seconds("Monday, 01-Jul-\(digits) 00:00:00 GMT", now: now).map { 1970 + $0 / 31_556_952 }
    }
    #expect(year("26", now: Self.now) == 2026)
    #expect(year("75", now: Self.now) == 2075)
    #expect(year("77", now: Self.now) == 1977)
    #expect(year("94", now: Self.now) == 1994)
    #expect(year("00", now: Self.now) == 2000)
    // In 2080 the year 10 is thirty years ahead.
    #expect(year("10", now: 3_471_292_800) == 2110)
    #expect(year("99", now: 0) == 1999)
    #expect(seconds("Friday, 29-Feb-00 00:00:00 GMT") == 951_782_400)
    #expect(seconds("Friday, 29-Feb-26 00:00:00 GMT") == nil)
  }

  @Test("A year of two digits may be 50 years ahead to the second, and not a second more")
  func fiftyYears() throws {
    let length: Int64 = 1_577_847_600
    let ahead = try #require(seconds("Fri, 01 Jan 2077 00:00:00 GMT"))
    let behind = try #require(seconds("Sat, 01 Jan 1977 00:00:00 GMT"))
    #expect(seconds("Friday, 01-Jan-77 00:00:00 GMT", now: ahead - length) == ahead)
    #expect(seconds("Friday, 01-Jan-77 00:00:00 GMT", now: ahead - length - 1) == behind)
    let first = try #require(seconds("Mon, 01 Jan 1900 00:00:00 GMT"))
    #expect(seconds("Monday, 01-Jan-00 00:00:00 GMT", now: first) == first)
  }

  @Test(
    "Any other text is no date",
    arguments: [
      "", " ", "Sun", "Sun,", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 EST",
      "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 31 Nov 1994 08:49:37 GMT", "Tue, 29 Feb 1900 00:00:00 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
      "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
      "Sun, 06 Nov 10000 08:49:37 GMT", "Sun, 06 Növ 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
      "Sun Nov  06 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "1994-11-06T08:49:37Z",
      "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT", "\0",
    ])
  func refused(text: String) {
    #expect(seconds(text) == nil)
  }

  @Test("Every day of a few years is read as itself", arguments: [1898, 1998, 2098, 2396])
  func days(from first: Int) {
    let names = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    var expected: Int64?
    for year in first..<(first + 5) {
      for month in 1...12 {
        for day in 1...31 {
          let date = seconds("Mon, \(two(day)) \(names[month - 1]) \(year) 00:00:00 GMT")
          let isDay = day <= 28 || day <= GregorianCalendar.days(inMonth: month, of: year)
          guard isDay else {
            #expect(date == nil)
            continue
          }
          if let expected, date != expected { Issue.record("\(day)-\(month)-\(year)") }
          expected = (date ?? 0) + 86_400
        }
      }
    }
  }
}
