import Measuring

/// What a point takes.
struct Figures: Codable, Equatable {
  /// The times of a call by the clock, in microseconds: one for each slice of the calls.
  var times: [Double]
  /// The processor times of a call in this process, in microseconds.
  var processorTimes: [Double]
  /// The maximum memory in bytes above that after the first call.
  var growth: Int
  /// The threads of the process.
  var threads: Int
  /// The open descriptors of the process.
  var descriptors: Int

  var callsPerSecond: Double { 1e6 / time }
  var time: Double { Self.median(times) }
  var processorTime: Double { Self.median(processorTimes) }
  var growthInMiB: Double { Double(growth) / Double(1 << 20) }

  /// Takes in another run: all of its times, and the larger amounts.
  mutating func add(_ other: Figures) {
    times += other.times
    processorTimes += other.processorTimes
    growth = max(growth, other.growth)
    threads = max(threads, other.threads)
    descriptors = max(descriptors, other.descriptors)
  }

  private static func median(_ numbers: [Double]) -> Double {
    let sorted = numbers.sorted()
    guard !sorted.isEmpty else { return .nan }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}

/// The end of a point.
enum Outcome: Codable, Equatable {
  case measured(Figures)
  /// The point cannot run on this machine, for this reason.
  case impossible(String)
  /// A response was wrong, so no figure of this run is valid.
  case wrong(String)

  var figures: Figures? {
    if case .measured(let figures) = self { figures } else { nil }
  }
}

/// The outcomes of all points.
struct Survey {
  private(set) var outcomes: [Point: Outcome] = [:]

  /// Takes in the outcome of one run of a point.
  ///
  /// What cannot run once counts as what cannot run.
  mutating func add(_ outcome: Outcome, of point: Point) throws(Unsound) {
    switch (outcomes[point], outcome) {
    case (_, .wrong(let reason)): throw Unsound("\(point.name): \(reason)")
    case (.measured(var figures), .measured(let more)):
      figures.add(more)
      outcomes[point] = .measured(figures)
    case (.impossible, _): break
    default: outcomes[point] = outcome
    }
  }

  subscript(point: Point) -> Outcome? { outcomes[point] }

  /// The place where the processor time of a call bends, or nil if the line is flat.
  func bend(of axis: Axis) -> Bend? {
    Bend(in: axis.points.map { ($0.value, self[$0]?.figures?.processorTime) })
  }

  /// What the processor time does on an axis, such as "flat to 10,000".
  func verdict(on axis: Axis) -> String {
    let measured = axis.points.filter { self[$0]?.figures != nil }
    guard let last = measured.last else { return "not measured" }
    guard let bend = bend(of: axis) else { return "flat to \(axis.label(last.value))" }
    return "bends at \(axis.label(bend.value)), from \(bend.lowest.significant) to "
      + "\(bend.cost.significant) µs"
  }
}
