extension Duration {
  /// The first moment after this one that is a whole number of intervals past a start.
  ///
  /// - Parameters:
  ///   - interval: More than zero.
  ///   - start: Not after this moment.
  @usableFromInline func next(every interval: Duration, from start: Duration) -> Duration {
    let count = (self - start).attoseconds / interval.attoseconds + 1
    return start + Duration(attoseconds: count * interval.attoseconds)
  }

  /// The shortest interval that repeats: a nanosecond.
  @usableFromInline static var shortestInterval: Duration { .nanoseconds(1) }
}
