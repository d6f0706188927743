/// The time of one case, the median of several rounds.
struct Measurement {
  let name: String
  let unit: String
  let nanoseconds: Double
  let result: Int
}

/// Runs a case over and over and takes the median.
func measure(
  _ name: String, per unit: String, rounds: Int = 9, _ body: (Range<Int>) -> Int
) -> Measurement {
  var result = body(0..<count)
  let times = (0..<rounds).map { _ in
    let time = ContinuousClock().measure { result = body(0..<count) }
    return Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9
  }
  let median = times.sorted()[rounds / 2] / Double(count)
  return Measurement(name: name, unit: unit, nanoseconds: median, result: result)
}

/// Prints a table; the cases that do the same work must come to the same result.
func report(_ measurements: Measurement...) {
  for measurement in measurements {
    let hundredths = Int((measurement.nanoseconds * 100).rounded())
    print(
      "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)",
      "ns per \(measurement.unit)  \(measurement.name)")
  }
  let sums = Set(measurements.filter { $0.unit == "value" }.map(\.result))
  precondition(sums.count == 1, "The cases disagree: \(sums)")
}

/// A sum that one thread at a time adds to.
final class Sum: @unchecked Sendable {
  // Every case here runs on one thread; a lock would be what is measured.
  var value = 0
}
