import CAllocations
import Measuring

/// What was found out about one case.
struct Measurement {
  let workCase: Case
  /// What a call of each client takes.
  var costs: [Client: Cost] = [:]
  /// What a case alone in its process found.
  var facts = Facts()

  /// What one call takes; times are medians.
  struct Cost {
    /// From one call to the next, all callers together, in microseconds.
    var time: Double
    /// Of all threads, in microseconds.
    var processorTime: Double
    /// Allocations of all threads; nil where they cannot be counted.
    var allocations: Double?

    var callsPerSecond: Double { 1_000_000 / time }
  }

  /// How many times the throughput of another client one has.
  func ratio(of one: Client, to other: Client) -> Double? {
    guard let own = costs[one]?.time, let others = costs[other]?.time else { return nil }
    return others / own
  }

  /// What RESTKit's verbs add to what they stand on.
  var layer: (processorTime: Double, allocations: Double?)? {
    let (upper, lower): (Client, Client) =
      workCase == .answeredAtOnce ? (.verbsOnAnswer, .answer) : (.verbs, .curlTransport)
    guard let verbs = costs[upper], let bare = costs[lower] else { return nil }
    return (
      verbs.processorTime - bare.processorTime,
      verbs.allocations.flatMap { count in bare.allocations.map { count - $0 } }
    )
  }
}

/// Runs cases: all contenders of one in turn, round by round, so that a busy machine hits all alike.
struct Stopwatch {
  var rounds = 5
  /// How long a contender runs in a round, about.
  var length = Duration.milliseconds(400)

  func measure(
    _ workCase: Case, callers: Int, _ contenders: [Contender], bodyBytes: Int
  ) async throws -> Measurement {
    var measurement = Measurement(workCase: workCase)
    var calls: [Int] = []
    for contender in contenders {
      // The first calls open the connections; the next ones say how many fill a round.
      _ = try await check(contender, calls: callers * 4, callers, bodyBytes)
      let trial = callers * 32
      let taken = try await check(contender, calls: trial, callers, bodyBytes)
      calls.append(max(trial, Int(Double(trial) * (length / taken.time))))
    }
    var times = contenders.map { _ in [Double]() }
    var processorTimes = times
    for _ in 0..<rounds {
      for (index, contender) in contenders.enumerated() {
        let taken = try await check(contender, calls: calls[index], callers, bodyBytes)
        let count = Double(calls[index])
        times[index].append(taken.time / .microseconds(1) / count)
        processorTimes[index].append(taken.processorTime / .microseconds(1) / count)
      }
    }
    for (index, contender) in contenders.enumerated() {
      measurement.costs[contender.client] = Measurement.Cost(
        time: times[index].sorted()[rounds / 2],
        processorTime: processorTimes[index].sorted()[rounds / 2],
        allocations: try await allocations(of: contender, callers))
    }
    return measurement
  }

  private func allocations(of contender: Contender, _ callers: Int) async throws -> Double? {
    guard allocations_countable() else { return nil }
    let calls = callers * 500
    allocations_start()
    _ = try await contender.run(calls, callers)
    return Double(allocations_stop()) / Double(calls)
  }

  private func check(
    _ contender: Contender, calls: Int, _ callers: Int, _ bodyBytes: Int
  ) async throws -> (time: Duration, processorTime: Duration) {
    let begin = ContinuousClock.now
    let processorTime = Resources.processorTime
    let bytes = try await contender.run(calls, callers)
    let taken = (ContinuousClock.now - begin, Resources.processorTime - processorTime)
    guard bytes == calls * bodyBytes else {
      throw Unsound("\(contender.client.rawValue) brought \(bytes) bytes in \(calls) calls")
    }
    return taken
  }
}
