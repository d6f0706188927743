/// How long calls took, from the quickest to the slowest.
struct Percentiles {
  private let times: [Duration]

  init(_ times: [Duration]) {
    self.times = times.sorted()
  }

  /// The time in which this part of the calls had ended, by the nearest rank; zero where there are none.
  subscript(part: Double) -> Duration {
    guard !times.isEmpty else { return .zero }
    let rank = Int((part * Double(times.count)).rounded(.up))
    return times[min(max(rank, 1), times.count) - 1]
  }
}
