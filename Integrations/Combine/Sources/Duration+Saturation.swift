extension Duration {
  /// Creates the duration of a number of seconds: zero for not a number, and the longest or the
  /// shortest duration for a number that no duration can hold, such as infinity.
  init(saturatingSeconds seconds: Double) {
    // Duration holds some more, up to the range of its attoseconds.
    let limit = 1.7e20
    switch seconds {
    case _ where seconds.isNaN: self = .zero
    case limit...: self = .saturated(isNegative: false)
    case ...(-limit): self = .saturated(isNegative: true)
    default: self = .seconds(seconds)
    }
  }

  func saturatingAdding(_ other: Duration) -> Duration {
    let (sum, overflows) = attoseconds.addingReportingOverflow(other.attoseconds)
    return overflows ? .saturated(isNegative: other < .zero) : Duration(attoseconds: sum)
  }

  func saturatingSubtracting(_ other: Duration) -> Duration {
    let (rest, overflows) = attoseconds.subtractingReportingOverflow(other.attoseconds)
    return overflows ? .saturated(isNegative: other > .zero) : Duration(attoseconds: rest)
  }

  private static func saturated(isNegative: Bool) -> Duration {
    Duration(attoseconds: isNegative ? .min : .max)
  }
}
