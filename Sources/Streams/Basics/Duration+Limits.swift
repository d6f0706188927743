extension Duration {
  /// The sum; the greatest or least there is where that does not fit.
  ///
  /// A time that means "never", as `.seconds(.max)`, must not end the process where it is added.
  @usableFromInline package func adding(_ other: Duration) -> Duration {
    let (sum, overflows) = attoseconds.addingReportingOverflow(other.attoseconds)
    if overflows { return Duration(attoseconds: other < .zero ? .min : .max) }
    return Duration(attoseconds: sum)
  }

  /// The time from another moment to this one; the greatest or least there is where that does not fit.
  @usableFromInline package func since(_ other: Duration) -> Duration {
    let (difference, overflows) = attoseconds.subtractingReportingOverflow(other.attoseconds)
    if overflows { return Duration(attoseconds: other < .zero ? .max : .min) }
    return Duration(attoseconds: difference)
  }

  /// The longest wait that every clock can add to its time: a hundred years.
  package static var longestWait: Duration { .seconds(100 * 365 * 86_400) }

  /// This as a wait: not negative, and no longer than any clock can measure.
  package var asWait: Duration { min(max(self, .zero), .longestWait) }
}
