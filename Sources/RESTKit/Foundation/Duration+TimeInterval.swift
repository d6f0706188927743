extension Duration {
  /// This duration in seconds.
  var timeInterval: Double { self / .seconds(1) }

  /// This duration in whole milliseconds, rounded up.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
