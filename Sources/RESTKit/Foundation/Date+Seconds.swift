import Foundation

extension Date {
  /// The whole seconds since 1970, rounded down.
  ///
  /// It has 64 bits on each system: a platform's `Int` of 32 bits ends in January 2038. It is zero for
  /// a date that is more than 30 million years away, so that differences of two dates do not overflow.
  package var wholeSecondsSince1970: Int64 {
    let seconds = timeIntervalSince1970.rounded(.down)
    return abs(seconds) < 1e15 ? Int64(seconds) : 0
  }
}
