import CAllocations
import Cases
import Measuring

/// The results of one case.
struct Measurement {
  let workCase: Case
  /// The median time of a unit, in nanoseconds.
  var times: [Library: Double] = [:]
  /// The allocations for a unit, if they can be counted.
  var allocations: [Library: Double] = [:]
  /// The number of jobs that the scheduler got for one burst that waited.
  var wakeUps: Int?

  /// Returns the time of another library divided by the time of Streams.
  func ratio(to library: Library) -> Double? {
    ratio(of: .streams, to: library)
  }

  /// Returns the other library's time divided by the first library's time.
  func ratio(of one: Library, to other: Library) -> Double? {
    guard let time = times[one], let longer = times[other] else { return nil }
    return longer / time
  }

  /// The speedup of a second thread for work without shared data, at the time of this measurement.
  var machine: Double? { ratio(of: .byHand, to: .byHandAlone) }
}

/// A runner of cases.
///
/// All contenders of a case run in turn, round by round, so that a busy machine affects all of
/// them.
struct Stopwatch {
  var rounds = 11
  /// The minimum time that a contender runs in a round.
  var shortest = Duration.milliseconds(10)

  func measure(_ workCase: Case, _ contenders: [Contender]) throws(Unsound) -> Measurement {
    try compareResults(workCase, contenders)
    var measurement = Measurement(workCase: workCase)
    let units = Double(workCase.units(in: workCase.size))
    let repeats = contenders.map { contender in
      let once = time { _ = contender.run(workCase.size) }
      return max(1, Int((shortest / max(once, .nanoseconds(1))).rounded(.up)))
    }
    var times = contenders.map { _ in [Double]() }
    for _ in 0..<rounds {
      for (index, contender) in contenders.enumerated() {
        let taken = time {
          for _ in 0..<repeats[index] { _ = contender.run(workCase.size) }
        }
        times[index].append(taken / .nanoseconds(1) / Double(repeats[index]) / units)
      }
    }
    for (index, contender) in contenders.enumerated() {
      measurement.times[contender.library] = times[index].sorted()[rounds / 2]
      guard allocations_countable() else { continue }
      allocations_start()
      _ = contender.run(workCase.size)
      measurement.allocations[contender.library] = Double(allocations_stop()) / units
    }
    return measurement
  }

  private func compareResults(
    _ workCase: Case, _ contenders: [Contender]
  ) throws(Unsound) {
    let results = contenders.map { ($0.library.rawValue, $0.run(workCase.size)) }
    guard Set(results.map(\.1)).count > 1 else { return }
    throw Unsound("\(workCase.title): the results differ: \(results)")
  }

  private func time(_ body: () -> Void) -> Duration {
    ContinuousClock().measure(body)
  }
}
