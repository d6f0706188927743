/// A line of the picture.
struct Series {
  /// The name of its color in the style, and its color by day and by night.
  let style: String
  let light: String
  let dark: String
  /// The pattern of its dashes, or nil for a solid line.
  let dashes: String?
  let label: String
  let number: @Sendable (Figures) -> Double

  /// The lines of a call, in microseconds.
  static let call = [
    Series(
      style: "cpu", light: "#2b6cd9", dark: "#6ba0f7", dashes: nil, label: "processor time",
      number: \.processorTime),
    Series(
      style: "clock", light: "#8a4fd0", dark: "#b58af0", dashes: "5 3",
      label: "time by the clock", number: \.time),
  ]

  /// The lines of the process.
  static let process = [
    Series(
      style: "memory", light: "#d0650a", dark: "#f0924a", dashes: nil, label: "memory, MiB",
      number: \.growthInMiB),
    Series(
      style: "threads", light: "#2f8a52", dark: "#5cc485", dashes: "2 3", label: "threads",
      number: { Double($0.threads) }),
    Series(
      style: "descriptors", light: "#c0328a", dark: "#ea6dbb", dashes: "7 3 2 3",
      label: "descriptors", number: { Double($0.descriptors) }),
  ]

  /// The runs of points between gaps.
  ///
  /// - Parameter survey: The outcomes; a point that was not measured makes a gap.
  func runs(on axis: Axis, in survey: Survey) -> [[(value: Int, number: Double)]] {
    var runs: [[(value: Int, number: Double)]] = [[]]
    for point in axis.points {
      if let figures = survey[point]?.figures {
        runs[runs.count - 1].append((point.value, number(figures)))
      } else if runs.last?.isEmpty == false {
        runs.append([])
      }
    }
    return runs.filter { !$0.isEmpty }
  }
}
