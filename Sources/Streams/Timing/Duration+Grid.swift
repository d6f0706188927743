extension Duration {
  /// The first moment after this one that is a whole number of intervals past a start.
  ///
  /// - Parameters:
  ///   - interval: More than zero.
  ///   - start: Not after this moment.
  @usableFromInline func next(every interval: Duration, from start: Duration) -> Duration {
    let past = Duration(attoseconds: since(start).attoseconds % interval.attoseconds)
    return adding(interval - past)
  }

  /// The shortest interval that repeats: a nanosecond.
  @usableFromInline static var shortestInterval: Duration { .nanoseconds(1) }
}
