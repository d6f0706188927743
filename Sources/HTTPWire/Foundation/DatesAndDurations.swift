import Foundation

extension Date {
  /// The whole seconds since 1970, rounded down.
  ///
  /// It has 64 bits on each system: a platform's `Int` of 32 bits ends in January 2038. It is zero
  /// for a date that is more than 30 million years away, so that differences of two dates do not
  /// overflow.
  package var wholeSecondsSince1970: Int64 {
    let seconds = timeIntervalSince1970.rounded(.down)
    return abs(seconds) < 1e15 ? Int64(seconds) : 0
  }
}

extension Duration {
  /// This duration in seconds.
  package var inSeconds: Double { self / .seconds(1) }

  /// This duration in whole milliseconds, rounded up.
  package var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }

  /// The duration in whole microseconds, rounded toward zero and clamped to `Int64`, since a server
  /// may ask for any wait.
  package var inMicroseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }

  /// A text with two significant digits, such as `0.42 ms`, `4.2 ms`, `420 ms` or `4.2 s`, rounded
  /// down.
  package var shortText: String {
    let microseconds = inMicroseconds
    func decimal(_ value: Int64, digits: Int) -> String {
      let unit: Int64 = digits == 1 ? 10 : 100
      let rest = "\(value % unit)"
      return "\(value / unit).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }
    switch microseconds {
    case ..<1_000: return "\(decimal(microseconds / 10, digits: 2)) ms"
    case ..<10_000: return "\(decimal(microseconds / 100, digits: 1)) ms"
    case ..<1_000_000: return "\(microseconds / 1_000) ms"
    default: return "\(decimal(microseconds / 100_000, digits: 1)) s"
    }
  }
}
