import Fixtures
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-17: dates and Retry-After", .timeLimit(.minutes(10)))
struct RetryAfterFuzzTests {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let pieces = [
    "Sun", "Sunday", ", ", ",", " ", "06", "6", "Nov", "nov", "1994", "94", "08:49:37", ":", "-",
    "GMT", "UTC", "60", "99", "00", "\t", "é", "\0", "٣", "+", "1.5", "99999999999999999999",
    "+0000",
  ]

  /// A moment, and its text in one of the forms.
  private func date(_ generator: inout SeededGenerator) -> (seconds: Int64, text: String) {
    // From the days to the date, which is another way than the parser's: year by year.
    let days = generator.number(0...3_652_058)
    let time = generator.number(0...86_399)
    let seconds = Int64(days - 719_162) * 86_400 + Int64(time)
    let weekday = Self.weekdays[days % 7]
    var year = days / 366 + 1
    func before(_ year: Int) -> Int {
      (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400
    }
    while before(year + 1) <= days { year += 1 }
    var day = days - before(year)
    let february = before(year + 1) - before(year) - 337
    var month = 0
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
      guard day >= length else { break }
      day -= length
      month += 1
    }
    func padded(_ number: Int, _ width: Int, with filler: Character = "0") -> String {
      let digits = "\(number)"
      return String(repeating: filler, count: width - digits.count) + digits
    }
    let clock =
      "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
    let name = Self.months[month]
    let text =
      switch generator.number(0...2) {
      case 0: "\(weekday.prefix(3)), \(padded(day + 1, 2)) \(name) \(padded(year, 4)) \(clock) GMT"
      case 1: "\(weekday), \(padded(day + 1, 2))-\(name)-\(padded(year % 100, 2)) \(clock) GMT"
      default:
        "\(weekday.prefix(3)) \(name) \(padded(day + 1, 2, with: " ")) \(clock) \(padded(year, 4))"
      }
    return (seconds, text)
  }

  @Test("A date in any form is its original instant", arguments: Fuzz.seeds)
  func dates(seed: UInt64) {
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let (seconds, text) = date(&generator)
      // From 49 years after it to just before, two digits of a year mean the same century.
      let now = seconds + Int64(generator.number(-1_500_000_000...1_500_000_000))
      // The century before the first has no number.
      let isTwoDigits = text.contains("-")
      guard !isTwoDigits || seconds > -2_208_988_800 else { return }
      let read = HTTPDate.secondsSince1970(text, now: now)
      guard read == seconds else {
        return drawn.fail("\(text) is \(seconds), not \(String(describing: read)), at \(now)")
      }
    }
  }

  @Test("A mutated date is a valid date or none", arguments: Fuzz.seeds)
  func mutations(seed: UInt64) {
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let text = date(&generator).text
      let bytes = generator.mutated(Array(text.utf8), pieces: Self.pieces, 0...3)
      let line = String(decoding: bytes, as: UTF8.self)
      let any = Int64(generator.number(0...1 << 40))
      let now = generator.one(of: [0, 784_111_777, Int64.min, Int64.max, any])
      if let seconds = HTTPDate.secondsSince1970(line, now: now) {
        guard -62_135_596_800...253_402_300_800 ~= seconds else {
          return drawn.fail("\(line.debugDescription) is \(seconds)")
        }
        // Only ASCII letters, digits and the marks between them make a date.
        guard line.utf8.count <= 33, line.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
          return drawn.fail("\(line.debugDescription) was taken for a date")
        }
      }
      if let wait = RetryAfter.seconds(line, now: now), !(0...RetryAfter.longest ~= wait) {
        return drawn.fail("\(line.debugDescription) is a wait of \(wait)")
      }
    }
  }

  @Test("A wait matches a plain reader of the line", arguments: Fuzz.seeds)
  func waits(seed: UInt64) {
    let pieces = ["0", "1", "59", "007", " ", "\t", ",", ", ", "-", "+", ".", "x", "9999999999"]
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let line = generator.text(of: pieces, 0...6)
      let parts = line.split(separator: ",", omittingEmptySubsequences: false).map { part in
        let digits = part.drop { $0 == " " || $0 == "\t" }
        let end = digits.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { digits[...$0] } ?? ""
      }
      let isList = parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { ("0"..."9").contains($0) }
      }
      let expected =
        isList ? parts.map { min(Int64($0) ?? .max, RetryAfter.longest) }.max() : nil
      let wait = RetryAfter.seconds(line, now: 0)
      guard wait == expected else {
        return drawn.fail(
          "\(line.debugDescription) is \(String(describing: wait)), "
            + "not \(String(describing: expected))")
      }
    }
  }
}
