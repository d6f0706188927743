import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

/// Every operator with a state, played by two threads and a scheduler as a seed says.
///
/// `STREAMS_RACE_ROUNDS` is the number of rounds for each operator, and `STREAMS_RACE_SEED` the
/// first round's seed; a failure names its round's.
@Suite("Races of operators", .leakFree)
struct OperatorRaceTests {
  static let rounds = number("STREAMS_RACE_ROUNDS") ?? 400
  static let seed = number("STREAMS_RACE_SEED") ?? 1

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(
    "C-1, C-2, C-3, C-4, C-7, C-11: each round keeps the contract", arguments: RaceOperators.all)
  func contract(operator: Setup<RaceOperators.Build>) {
    // In parts, so that any number of rounds needs the memory of some.
    var round = 0
    while round < Self.rounds {
      let seeds = (round..<min(round + 1_000, Self.rounds)).map { UInt64(Self.seed + $0) }
      let rounds = seeds.map { Round(RacePlan(seed: $0), `operator`.make) }
      #expect(
        raceEnds(threads: 2, rounds: rounds.count, within: 600) { rounds[$0].play(thread: $1) })
      for round in rounds {
        let faults = round.judge()
        #expect(faults.isEmpty, "\(round.plan): \(faults)")
      }
      round += 1_000
    }
  }

  /// One pipeline, and all that happens to it.
  private final class Round: Sendable {
    let plan: RacePlan
    let sources = [RacedSource(), RacedSource()]
    let scheduler = PumpedScheduler()
    let first: RaceJudge
    private let joined = Recording<RaceJudge>()
    private let stream: Box<IntStream>

    init(_ plan: RacePlan, _ make: RaceOperators.Build) {
      self.plan = plan
      let stream = make(sources[0].any, sources[1].any, scheduler)
      self.stream = Box(stream)
      first = RaceJudge(demand: plan.demand, cancelsAt: plan.cancelsAt)
      stream.receive(subscriber: first)
    }

    func play(thread: Int) {
      for (index, act) in plan.acts[thread].enumerated() {
        switch act {
        case .value: sources[thread].send(thread * 100 + index)
        case .finish: sources[thread].send(completion: .finished)
        case .fail: sources[thread].send(completion: .failure(.first))
        case .request: first.request(.max(1))
        case .cancel: first.cancel()
        case .pump: scheduler.pump()
        case .join:
          let judge = RaceJudge(demand: .unlimited)
          joined.add(judge)
          stream.value?.receive(subscriber: judge)
        }
      }
    }

    /// Ends everything and returns the broken rules.
    func judge() -> [String] {
      let judges = [first] + joined.elements
      var faults: [String] = []
      drain()
      // Checked before the sources end, because the end releases all objects anyway.
      if judges.allSatisfy({ $0.isCancelled || $0.hasEnded }) {
        for source in sources where source.subscriberCount > 0 {
          faults.append("C-7: a source that nobody listens to is held")
        }
      }
      for judge in judges { judge.request(.unlimited) }
      for source in sources { source.send(completion: .finished) }
      drain()
      faults += judges.flatMap(\.faults)
      for judge in judges where !judge.isCancelled && !judge.hasEnded {
        faults.append("C-11: a subscriber without an end")
      }
      for judge in judges { judge.forget() }
      stream.set(nil)
      return faults
    }

    private func drain() {
      for _ in 0..<200 where !scheduler.isIdle { scheduler.pump(after: .seconds(1)) }
    }
  }
}
