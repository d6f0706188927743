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
