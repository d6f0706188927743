extension Duration {
  /// Returns the sum, or the greatest or least duration if the sum overflows.
  ///
  /// An addition must not trap for a time that means "never", such as `.seconds(.max)`.
  @usableFromInline package func adding(_ other: Duration) -> Duration {
    let (sum, overflows) = attoseconds.addingReportingOverflow(other.attoseconds)
    if overflows { return Duration(attoseconds: other < .zero ? .min : .max) }
    return Duration(attoseconds: sum)
  }

  /// Returns the time from another moment to this one, or the greatest or least duration on
  /// overflow.
  @usableFromInline package func since(_ other: Duration) -> Duration {
    let (difference, overflows) = attoseconds.subtractingReportingOverflow(other.attoseconds)
    if overflows { return Duration(attoseconds: other < .zero ? .max : .min) }
    return Duration(attoseconds: difference)
  }

  /// The longest delay that every clock can add to its time: a hundred years.
  package static var longestWait: Duration { .seconds(36_500 * 86_400 as Int64) }

  /// This duration as a delay: not negative, and no longer than any clock can measure.
  package var asWait: Duration { min(max(self, .zero), .longestWait) }
}

extension Duration {
  /// Returns the first moment after this one that is a whole number of intervals after a start.
  ///
  /// - Parameters:
  ///   - interval: The interval, which must be greater than zero.
  ///   - start: The start, which must not be after this moment.
  @usableFromInline func next(every interval: Duration, from start: Duration) -> Duration {
    let past = Duration(attoseconds: since(start).attoseconds % interval.attoseconds)
    return adding(interval - past)
  }

  /// The shortest interval that repeats: a nanosecond.
  @usableFromInline static var shortestInterval: Duration { .nanoseconds(1) }
}
