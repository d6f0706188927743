/// The times of calls, sorted from the shortest to the longest.
struct Percentiles {
  private let times: [Duration]

  init(_ times: [Duration]) {
    self.times = times.sorted()
  }

  /// Returns the time in which this fraction of the calls ended, by the nearest rank, or zero
  /// without calls.
  subscript(part: Double) -> Duration {
    guard !times.isEmpty else { return .zero }
    let rank = Int((part * Double(times.count)).rounded(.up))
    return times[min(max(rank, 1), times.count) - 1]
  }
}
