extension Duration {
  /// Creates the duration of a Combine scheduler's stride, in whole nanoseconds, at most the
  /// longest wait.
  ///
  /// Combine creates strides from seconds and nanoseconds, but cannot convert them back. A search
  /// finds the nearest duration. A stride without a unit, as of a scheduler whose time does not
  /// pass, is zero.
  init<Stride: CombineFramework.SchedulerTimeIntervalConvertible & Comparable & SignedNumeric>(
    _ stride: Stride
  ) {
    guard Stride.seconds(1) > .zero else {
      self = .zero
      return
    }
    let isBackward = stride < .zero
    let length = isBackward ? .zero - stride : stride
    let seconds = Self.greatest(upTo: Self.longestWaitSeconds) { Stride.seconds($0) <= length }
    let rest = length - .seconds(seconds)
    let nanoseconds = Self.greatest(upTo: 999_999_999) { Stride.nanoseconds($0) <= rest }
    let duration = Duration(
      secondsComponent: Int64(seconds), attosecondsComponent: Int64(nanoseconds) * 1_000_000_000)
    self = isBackward ? .zero - duration : duration
  }

  /// Returns this duration as a stride that is not negative and at most the longest wait.
  func stride<Stride: CombineFramework.SchedulerTimeIntervalConvertible & SignedNumeric>() -> Stride
  {
    let wait = min(max(self, .zero), .seconds(Self.longestWaitSeconds))
    let (seconds, attoseconds) = wait.components
    return .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
  }

  /// The longest wait in seconds, about 68 years.
  ///
  /// Its nanoseconds fit into the strides of every scheduler, and its seconds into 32 bits.
  private static var longestWaitSeconds: Int { Int(Int32.max) }

  /// Returns the greatest number that satisfies a condition, which must hold from zero up to some
  /// number.
  private static func greatest(upTo limit: Int, where isWithin: (Int) -> Bool) -> Int {
    var (within, beyond) = (0, limit)
    if isWithin(limit) { return limit }
    while beyond - within > 1 {
      let middle = within + (beyond - within) / 2
      if isWithin(middle) { within = middle } else { beyond = middle }
    }
    return within
  }
}
