import Foundation

/// A reader of timestamps in API JSON, such as `2026-02-03T04:05:06.1234567`.
///
/// The format is `yyyy-MM-dd'T'HH:mm:ss` in ASCII digits, then optionally a point and one to nine
/// digits of a fraction, then optionally `Z` or an offset from UTC such as `+05:30`. This is RFC
/// 3339 as .NET, Java and Go write it, also with `t` and `z` (§5.6). Without a zone, the time is in
/// UTC. The calendar is the Gregorian one for all years from 0001 to 9999, as in ISO 8601. Dates
/// that do not exist are refused, and so are hour 24 and leap seconds.
///
/// The result is the `Double` nearest to the instant. A `Date` of this century has a precision of
/// about a tenth of a microsecond.
enum APITimestamp {
  /// - Throws: ``APITimestampError`` for a text of another format.
  static func date(from text: String) throws(APITimestampError) -> Date {
    var reader = Reader(text)
    let year = try reader.number(digits: 4, "the year", in: 1...9_999)
    try reader.expect("-")
    let month = try reader.number(digits: 2, "the month", in: 1...12)
    try reader.expect("-")
    let days = GregorianCalendar.days(inMonth: month, of: year)
    let day = try reader.number(digits: 2, "the day", in: 1...days)
    try reader.expect("T", or: "t")
    let hour = try reader.number(digits: 2, "the hour", in: 0...23)
    try reader.expect(":")
    let minute = try reader.number(digits: 2, "the minute", in: 0...59)
    try reader.expect(":")
    let second = try reader.number(digits: 2, "the second", in: 0...59)
    let nanoseconds = try reader.fraction()
    let offset = try reader.offset()

    // `Date` counts from 2001-01-01, which is 11,323 days later.
    let date = GregorianCalendar.daysSince1970(year: year, month: month, day: day) - 11_323
    let seconds = Int64(date) * 86_400 + Int64((hour * 60 + minute) * 60 + second - offset)
    return Date(timeIntervalSinceReferenceDate: sum(seconds, nanoseconds))
  }

  private static func sum(_ seconds: Int64, _ nanoseconds: Int) -> Double {
    guard nanoseconds.isMultiple(of: 100) else {
      // A decimal is read as the nearest number.
      let isNegative = seconds < 0
      let whole = isNegative ? -(seconds + 1) : seconds
      let rest = String(isNegative ? 1_000_000_000 - nanoseconds : nanoseconds)
      let zeros = String(repeating: "0", count: 9 - rest.count)
      return Double("\(isNegative ? "-" : "")\(whole).\(zeros)\(rest)") ?? Double(seconds)
    }
    // Both terms are the nearest `Double`s, and no sum of them is close enough to the middle of two
    // numbers for the second rounding to be wrong.
    return Double(seconds) + Double(nanoseconds / 100) / 10_000_000
  }
}

extension APITimestamp {
  /// A reader of the parts of one text, from left to right.
  private struct Reader {
    private let text: String
    private var rest: Substring.UTF8View

    init(_ text: String) {
      self.text = text
      rest = Substring(text).utf8
    }

    mutating func number(
      digits: Int, _ name: String, in range: ClosedRange<Int>
    ) throws(APITimestampError) -> Int {
      var value = 0
      for _ in 0..<digits {
        guard let byte = rest.first, byte.isASCIIDigit else {
          throw failure("\(name) needs \(digits) digits")
        }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
        rest.removeFirst()
      }
      guard range ~= value else {
        throw failure("\(name) is not in \(range.lowerBound)…\(range.upperBound)")
      }
      return value
    }

    mutating func expect(
      _ separator: Unicode.Scalar, or other: Unicode.Scalar? = nil
    ) throws(APITimestampError) {
      let isThere =
        rest.first == UInt8(ascii: separator)
        || other.map { rest.first == UInt8(ascii: $0) } == true
      guard isThere else {
        throw failure("\"\(separator)\" is missing or is something else")
      }
      rest.removeFirst()
    }

    /// Reads an optional point and one to nine digits.
    ///
    /// - Returns: The fraction in nanoseconds.
    mutating func fraction() throws(APITimestampError) -> Int {
      guard rest.first == UInt8(ascii: ".") else { return 0 }
      rest.removeFirst()
      var nanoseconds = 0
      var unit = 1_000_000_000
      while let byte = rest.first, byte.isASCIIDigit {
        unit /= 10
        guard unit > 0 else { throw failure("the fraction has more than nine digits") }
        nanoseconds += Int(byte - UInt8(ascii: "0")) * unit
        rest.removeFirst()
      }
      guard unit < 1_000_000_000 else { throw failure("the fraction has no digits") }
      return nanoseconds
    }

    /// Reads the end: nothing, `Z` or an offset.
    ///
    /// - Returns: The offset from UTC in seconds.
    mutating func offset() throws(APITimestampError) -> Int {
      var offset = 0
      if rest.first == UInt8(ascii: "Z") || rest.first == UInt8(ascii: "z") {
        rest.removeFirst()
      } else if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        rest.removeFirst()
        let hours = try number(digits: 2, "the offset's hour", in: 0...23)
        try expect(":")
        let minutes = try number(digits: 2, "the offset's minute", in: 0...59)
        offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
      }
      guard rest.isEmpty else {
        throw failure("nothing but \"Z\" or an offset such as +05:30 may follow")
      }
      return offset
    }

    private func failure(_ reason: String) -> APITimestampError {
      APITimestampError(shapeOf: text, reason: reason)
    }
  }
}

/// The reason why a text is not a timestamp.
///
/// The error has the shape of the text, not the text.
struct APITimestampError: Error, Equatable, Sendable {
  /// The text with `0` for every digit, `A` for every ASCII letter, and `?` for all other non-ASCII
  /// or control characters.
  let shape: String
  let reason: String

  init(shapeOf text: String, reason: String) {
    let limit = 40
    let scalars = text.unicodeScalars
    let shape = scalars.prefix(limit).map { scalar -> Character in
      switch scalar {
      case "0"..."9": "0"
      case "a"..."z", "A"..."Z": "A"
      case " "..."~": Character(scalar)
      default: "?"
      }
    }
    self.shape = String(shape) + (scalars.dropFirst(limit).isEmpty ? "" : "…")
    self.reason = reason
  }
}

extension APITimestampError: CustomStringConvertible {
  var description: String {
    "no timestamp of the form yyyy-MM-ddTHH:mm:ss[.fffffffff][Z or offset] in text of shape "
      + "\"\(shape)\": " + reason
  }
}

extension JSONDecoder.DateDecodingStrategy {
  /// A strategy for dates as APIs write them: `2026-02-03T04:05:06.1234567` in UTC, or with an
  /// offset (RFC 3339).
  ///
  /// A fraction of one to nine digits is optional, and so is a `Z` or an offset such as `+05:30` at
  /// the end. Any other format fails with `DecodingError.dataCorrupted`. The error has the coding
  /// path and the shape of the text, not the text.
  public static var apiTimestamp: JSONDecoder.DateDecodingStrategy {
    .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      do throws(APITimestampError) {
        return try APITimestamp.date(from: text)
      } catch {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: decoder.codingPath, debugDescription: error.description,
            underlyingError: error))
      }
    }
  }
}
