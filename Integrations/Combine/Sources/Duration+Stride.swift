extension Duration {
  /// The length of a Combine scheduler's stride, in whole nanoseconds, at most the longest wait.
  ///
  /// Combine makes strides of seconds and nanoseconds, but has no way back: the nearest one is looked
  /// for. A stride that has no unit, as that of a scheduler whose time does not pass, is zero.
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

  /// This as a stride: not negative, and at most the longest wait.
  func stride<Stride: CombineFramework.SchedulerTimeIntervalConvertible & SignedNumeric>() -> Stride
  {
    let wait = min(max(self, .zero), .seconds(Self.longestWaitSeconds))
    let (seconds, attoseconds) = wait.components
    return .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
  }

  /// 68 years: as nanoseconds they fit into the strides of every scheduler, as seconds into 32 bits.
  private static var longestWaitSeconds: Int { Int(Int32.max) }

  /// The greatest number that satisfies a condition which holds up to some number, zero included.
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
