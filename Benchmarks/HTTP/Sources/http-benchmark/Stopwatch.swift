import CAllocations
import Measuring

/// A runner of cases.
///
/// All contenders of a case run in turn, round by round, so that a busy machine affects all of
/// them.
struct Stopwatch {
  var rounds = 9
  /// The approximate time that a contender runs in a round.
  var length = Duration.milliseconds(400)
  /// The number of trial calls of each caller, which determine the number of calls in a round;
  /// fewer for hundreds of callers.
  var trial = 32

  /// A stopwatch for the many cases with TLS.
  static let short = Stopwatch(rounds: 5, length: .milliseconds(150), trial: 8)

  /// A stopwatch for a first look.
  var quick: Stopwatch { Stopwatch(rounds: 3, length: length / 4, trial: trial) }

  /// Returns the cost of a call of each contender.
  ///
  /// - Parameter bodyBytes: The number of bytes that each response must have.
  func costs(
    of contenders: [Contender], callers: Int, isTogether: Bool = false, bodyBytes: Int
  ) async throws -> [Client: Measurement.Cost] {
    func load(_ calls: Int) -> Load {
      Load(calls: calls / callers * callers, callers: callers, isTogether: isTogether)
    }
    let trial = max(4, min(trial, 2_048 / callers))
    var loads: [Load] = []
    for contender in contenders {
      // The first calls open the connections. The next ones determine the number of calls in a
      // round.
      _ = try await check(contender, load(callers * 4), bodyBytes)
      let taken = try await check(contender, load(callers * trial), bodyBytes)
      let filling = Double(callers * trial) * (length / taken.time)
      loads.append(load(max(callers * trial, Int(filling))))
    }
    var times = contenders.map { _ in [Double]() }
    var processorTimes = times
    var switches = times
    var latencies = contenders.map { _ in [Duration]() }
    for _ in 0..<rounds {
      for (index, contender) in contenders.enumerated() {
        let taken = try await check(contender, loads[index], bodyBytes)
        let count = Double(loads[index].calls)
        times[index].append(taken.time / .microseconds(1) / count)
        processorTimes[index].append(taken.processorTime / .microseconds(1) / count)
        switches[index].append(Double(taken.switches) / count)
        latencies[index] += taken.latencies
      }
    }
    var costs: [Client: Measurement.Cost] = [:]
    for (index, contender) in contenders.enumerated() {
      let counted = load(min(callers * 500, loads[index].calls))
      costs[contender.client] = Measurement.Cost(
        time: times[index].sorted()[rounds / 2],
        processorTime: processorTimes[index].sorted()[rounds / 2],
        switches: switches[index].sorted()[rounds / 2],
        allocations: try await allocations(of: contender, counted),
        latencies: Percentiles(latencies[index]))
    }
    return costs
  }

  private func allocations(of contender: Contender, _ load: Load) async throws -> Double? {
    guard allocations_countable() else { return nil }
    var load = load
    load.isTimed = false
    allocations_start()
    _ = try await contender.run(load)
    return Double(allocations_stop()) / Double(load.calls)
  }

  private func check(
    _ contender: Contender, _ load: Load, _ bodyBytes: Int
  ) async throws -> Taken {
    let begin = ContinuousClock.now
    let switches = Resources.switches
    let processorTime = Resources.processorTime
    let answers = try await contender.run(load)
    let taken = Taken(
      time: ContinuousClock.now - begin, processorTime: Resources.processorTime - processorTime,
      switches: Resources.switches - switches, latencies: answers.times)
    guard answers.bytes == load.calls * bodyBytes else {
      throw Unsound(
        "\(contender.client.rawValue) brought \(answers.bytes) bytes in \(load.calls) calls")
    }
    guard answers.times.count == load.calls else {
      throw Unsound("\(contender.client.rawValue) did not time each of \(load.calls) calls")
    }
    return taken
  }

  /// What a round took.
  private struct Taken {
    let time: Duration
    let processorTime: Duration
    let switches: Int
    let latencies: [Duration]
  }
}
