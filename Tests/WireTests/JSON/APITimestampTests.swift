import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("Timestamps of API JSON")
struct APITimestampTests {
  private static let badEnd = "nothing but \"Z\" or an offset such as +05:30 may follow"

  private func refusal(of text: String) -> APITimestampError? {
    do throws(APITimestampError) {
      _ = try APITimestamp.date(from: text)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "Timestamps are read to the second",
    arguments: [
      ("1970-01-01T00:00:00", 0),
      ("1970-01-01T00:00:00Z", 0),
      ("2001-01-01T00:00:00", 978_307_200),
      ("1969-12-31T23:59:59", -1),
      ("1969-07-20T20:17:40", -14_182_940),
      ("2000-02-29T12:34:56", 951_827_696),
      ("2024-02-29T23:59:59Z", 1_709_251_199),
      ("2026-02-03T04:05:06", 1_770_091_506),
      ("9999-12-31T23:59:59", 253_402_300_799),
      ("0001-01-01T00:00:00", -62_135_596_800),
      ("1582-10-04T00:00:00", -12_220_243_200),
      ("1900-03-01T00:00:00", -2_203_891_200),
    ])
  func seconds(text: String, expected: Int64) throws {
    #expect(try APITimestamp.date(from: text) == Date(timeIntervalSince1970: Double(expected)))
  }

  @Test(
    "A fraction has zero to nine digits",
    arguments: [
      ("", 0), (".1", 1_000_000), (".12", 1_200_000), (".123", 1_230_000), (".1234", 1_234_000),
      (".12345", 1_234_500), (".123456", 1_234_560), (".1234567", 1_234_567), (".0000000", 0),
      (".9999999", 9_999_999), (".0000001", 1), (".5", 5_000_000), (".50", 5_000_000),
    ], ["", "Z"])
  func fraction(fraction: (text: String, ticks: Int), zone: String) throws {
    let date = try APITimestamp.date(from: "2001-01-01T00:00:00" + fraction.text + zone)
    #expect(date.timeIntervalSinceReferenceDate == Double(fraction.ticks) / 10_000_000)
  }

  @Test(
    "An offset is the time ahead of UTC (RFC 3339 §4.2)",
    arguments: [
      ("2026-02-03T04:05:06+00:00", "2026-02-03T04:05:06"),
      ("2026-02-03t04:05:06z", "2026-02-03T04:05:06"),
      ("2026-02-03t04:05:06.5+05:30", "2026-02-02T22:35:06.5"),
      ("0001-01-01T00:00:00+23:59", "0001-01-01T00:00:00+23:59"),
      ("9999-12-31T23:59:59.999999999-23:59", "9999-12-31T23:59:59.999999999-23:59"),
      ("2026-02-03T04:05:06-00:00", "2026-02-03T04:05:06"),
      ("2026-02-03T04:05:06.5+05:30", "2026-02-02T22:35:06.5"),
      ("2026-02-03T04:05:06.123456789-08:00", "2026-02-03T12:05:06.123456789"),
      ("2026-01-01T00:00:00+23:59", "2025-12-31T00:01:00"),
    ])
  func offsets(text: String, expected: String) throws {
    #expect(try APITimestamp.date(from: text) == APITimestamp.date(from: expected))
  }

  @Test(
    "A timestamp gives the nearest number to its instant, in any century", arguments: 0..<4,
    [7, 8, 9])
  func exactness(seed: UInt64, places: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let unit = Int(pow(10, Double(places)))
    for _ in 0..<500 {
      let seconds = Int64.random(in: -63_113_904_000..<252_423_993_600, using: &generator)
      let ticks = Int.random(in: 0..<unit, using: &generator)
      let whole = Date(timeIntervalSinceReferenceDate: Double(seconds))
      let digits = String(ticks)
      let fraction = String(repeating: "0", count: places - digits.count) + digits
      let text = isoText(whole) + "." + fraction
      let date = try APITimestamp.date(from: text)

      // The nearest number, found by the standard library from the exact decimal.
      let total = seconds < 0 && ticks > 0 ? seconds + 1 : seconds
      let rest = seconds < 0 && ticks > 0 ? unit - ticks : ticks
      let restDigits = String(rest)
      let exact =
        (seconds < 0 ? "-" : "") + "\(abs(total))."
        + String(repeating: "0", count: places - restDigits.count) + restDigits
      #expect(date.timeIntervalSinceReferenceDate == Double(exact), "\(text)")
    }
  }

  @Test("Timestamps agree with Foundation on every day of four centuries")
  func everyDay() throws {
    for day in stride(from: -36_890, through: 109_207, by: 1) {
      let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
      #expect(try APITimestamp.date(from: isoText(date)) == date)
    }
  }

  /// Another way from a date to its text than the parser's way back.
  private func isoText(_ date: Date) -> String {
    let whole = Int64(date.timeIntervalSinceReferenceDate) + 63_113_904_000
    let days = Int(clamping: whole / 86_400)
    let seconds = Int(clamping: whole % 86_400)
    // Days are counted from 0001-01-01; years are found by trying.
    var year = days / 366 + 1
    func daysBefore(_ year: Int) -> Int {
      (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400
    }
    while daysBefore(year + 1) <= days { year += 1 }
    let leap = daysBefore(year + 1) - daysBefore(year) == 366
    var day = days - daysBefore(year)
    var month = 0
    for length in [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
      month += 1
      if day < length { break }
      day -= length
    }
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: width - digits.count) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day + 1, 2))T"
      + "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
  }

  @Test(
    "A refused timestamp is described with the reason",
    arguments: [
      ("", "the year needs 4 digits"),
      ("20260203T040506", "\"-\" is missing or is something else"),
      ("2026-02-03", "\"T\" is missing or is something else"),
      ("2026-02-03 04:05:06", "\"T\" is missing or is something else"),
      ("2026/02/03T04:05:06", "\"-\" is missing or is something else"),
      ("26-02-03T04:05:06", "the year needs 4 digits"),
      ("+2026-02-03T04:05:06", "the year needs 4 digits"),
      ("-2026-02-03T04:05:06", "the year needs 4 digits"),
      (" 2026-02-03T04:05:06", "the year needs 4 digits"),
      ("2026-2-3T04:05:06", "the month needs 2 digits"),
      ("２０２６-02-03T04:05:06", "the year needs 4 digits"),
      ("2026-٠2-03T04:05:06", "the month needs 2 digits"),
      ("2026-02-03T04:05:0६", "the second needs 2 digits"),
      ("0000-01-01T00:00:00", "the year is not in 1…9999"),
      ("2026-00-03T04:05:06", "the month is not in 1…12"),
      ("2026-13-03T04:05:06", "the month is not in 1…12"),
      ("2026-01-00T04:05:06", "the day is not in 1…31"),
      ("2026-01-32T04:05:06", "the day is not in 1…31"),
      ("2026-04-31T04:05:06", "the day is not in 1…30"),
      ("2026-02-29T04:05:06", "the day is not in 1…28"),
      ("2024-02-30T04:05:06", "the day is not in 1…29"),
      ("1900-02-29T04:05:06", "the day is not in 1…28"),
      ("2000-02-30T04:05:06", "the day is not in 1…29"),
      ("2026-02-03T24:00:00", "the hour is not in 0…23"),
      ("2026-02-03T04:60:06", "the minute is not in 0…59"),
      ("2026-02-03T04:05:60", "the second is not in 0…59"),
      ("2026-02-03T04:05", "\":\" is missing or is something else"),
      ("2026-02-03T04:05:6", "the second needs 2 digits"),
      ("2026-02-03T04:05:06.", "the fraction has no digits"),
      ("2026-02-03T04:05:06.Z", "the fraction has no digits"),
      ("2026-02-03T04:05:06.1234567890", "the fraction has more than nine digits"),
      (
        "2026-02-03T04:05:06.00000000000000000000000000000000",
        "the fraction has more than nine digits"
      ),
      ("2026-02-03T04:05:06+24:00", "the offset's hour is not in 0…23"),
      ("2026-02-03T04:05:06-05:60", "the offset's minute is not in 0…59"),
      ("2026-02-03T04:05:06+5:00", "the offset's hour needs 2 digits"),
      ("2026-02-03T04:05:06+0530", "\":\" is missing or is something else"),
      ("2026-02-03T04:05:06+05", "\":\" is missing or is something else"),
      ("2026-02-03T04:05:06,5", Self.badEnd),
      ("2026-02-03T04:05:06zz", Self.badEnd),
      ("0000-12-31T00:00:00Z", "the year is not in 1…9999"),
      ("2016-12-31T23:59:60Z", "the second is not in 0…59"),
      ("2026-02-03T04:05:06ZZ", Self.badEnd),
      ("2026-02-03T04:05:06+00:00Z", Self.badEnd),
      ("2026-02-03T04:05:06 ", Self.badEnd),
      ("2026-02-03T04:05:06Z\u{301}", Self.badEnd),
      ("2026-02-03T04:05:06\0", Self.badEnd),
    ])
  func refused(text: String, reason: String) throws {
    #expect(try #require(refusal(of: text)).reason == reason)
  }

  @Test("A truncated timestamp is refused, except before the fraction's digits and before the Z")
  func truncation() {
    let text = "2026-02-03T04:05:06.1234567Z"
    for length in 0..<text.count {
      #expect((refusal(of: String(text.prefix(length))) == nil) == (length == 19 || length > 20))
    }
  }

  @Test("An error shows the shape of a text, not the text")
  func shape() throws {
    let error = try #require(refusal(of: "3 Feb 2026\n٣\"CANARY"))
    #expect(
      error.description
        == "no timestamp of the form yyyy-MM-ddTHH:mm:ss[.fffffffff][Z or offset] in text of shape "
        + "\"0 AAA 0000??\"AAAAAA\": the year needs 4 digits")
    let long = try #require(refusal(of: String(repeating: "9", count: 1_000)))
    #expect(long.shape == String(repeating: "0", count: 40) + "…")
  }
}

@Suite("The date decoding strategy for API timestamps")
struct APITimestampStrategyTests {
  private struct Order: Decodable {
    struct Item: Decodable { let shipped: Date? }
    let items: [Item]
  }

  private var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .apiTimestamp
    return decoder
  }

  @Test("The strategy decodes dates, and null as no date")
  func decodes() throws {
    let body = Data(#"{"items":[{"shipped":"2001-01-01T00:00:01.5"},{"shipped":null},{}]}"#.utf8)
    let order = try decoder.decode(Order.self, from: body)
    #expect(
      order.items.map(\.shipped) == [Date(timeIntervalSinceReferenceDate: 1.5), nil, nil])
  }

  @Test("The strategy's error has the coding path and the shape, not the text")
  func fails() throws {
    let body = Data(#"{"items":[{"shipped":null},{"shipped":"CANARY 7"}]}"#.utf8)
    let error = try #require(throws: DecodingError.self) {
      try decoder.decode(Order.self, from: body)
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["items", "Index 1", "shipped"])
    #expect(context.debugDescription.contains("\"AAAAAA 0\""))
    #expect(context.underlyingError is APITimestampError)
    #expect(!String(reflecting: error).contains("CANARY"))
  }

  @Test("The strategy fails with a type mismatch for a value that is not a string")
  func numbers() {
    let body = Data(#"{"items":[{"shipped":12}]}"#.utf8)
    #expect(throws: DecodingError.self) { try decoder.decode(Order.self, from: body) }
  }
}
