import Cases
import Measuring

/// The goal of a case.
struct Goal {
  var atMostNanoseconds: Double?
  var timesOpenCombine: Double?
  /// The minimum throughput, as a multiple of that of one thread.
  var timesOneThread: Double?
  /// The minimum speed, as a multiple of that of asynchronous sequences.
  var timesAsync: Double?
  var allocatesNothing = false
  var wakesOnce = false
  /// Cases of which each takes at most this multiple of the fastest one's time.
  var spread: (cases: Set<Case>, factor: Double)?
  /// The shorter run for comparison, and the margin within which a unit must take no longer than
  /// there.
  var linear: (shorter: Case, margin: Double)?

  /// Returns the parts, each with whether it is met, or nil if this run cannot tell.
  func verdicts(on own: Measurement, among all: [Measurement]) -> [(text: String, isMet: Bool?)] {
    var verdicts: [(String, Bool?)] = []
    if let most = atMostNanoseconds {
      verdicts.append(("≤ \(most.short) ns", own.times[.streams].map { $0 <= most }))
    }
    if let factor = timesOpenCombine {
      verdicts.append(("≥ \(factor.short) ×", own.ratio(to: .openCombine).map { $0 >= factor }))
    }
    if let factor = timesOneThread {
      // A busy machine has no free second core.
      let isMet =
        (own.machine ?? 2) < factor ? nil : own.ratio(to: .streamsAlone).map { $0 >= factor }
      verdicts.append(("≥ \(factor.short) × one thread", isMet))
    }
    if let factor = timesAsync {
      verdicts.append(
        ("≥ \(factor.short) × AsyncStream", own.ratio(to: .asyncSequences).map { $0 >= factor }))
    }
    if allocatesNothing {
      verdicts.append(("no allocation", own.allocations[.streams].map { $0 < 0.005 }))
    }
    if wakesOnce { verdicts.append(("one wake-up a batch", own.wakeUps.map { $0 == 1 })) }
    if let spread {
      let times = all.filter { spread.cases.contains($0.workCase) }
        .compactMap { $0.times[.streams] }
      let isMet: Bool? =
        times.count < spread.cases.count
        ? nil : own.times[.streams].map { $0 <= spread.factor * (times.min() ?? 0) }
      verdicts.append(("within \(spread.factor.short) × of each other", isMet))
    }
    if let linear {
      let shorter = all.first { $0.workCase == linear.shorter }?.times[.streams]
      let isMet = shorter.flatMap { time in own.times[.streams].map { $0 <= time * linear.margin } }
      verdicts.append(("linear time, constant stack", isMet))
    }
    return verdicts
  }
}

extension Case {
  var goal: Goal {
    switch self {
    case .chain: Goal(atMostNanoseconds: 5, timesOpenCombine: 40, allocatesNothing: true)
    case .erasedChain: Goal(atMostNanoseconds: 15, timesOpenCombine: 15)
    case .twelveStages: Goal(timesOpenCombine: 20)
    case .subscription: Goal(atMostNanoseconds: 250, timesOpenCombine: 8)
    case .flatMap: Goal(timesOpenCombine: 10)
    case .passthroughToOne:
      Goal(atMostNanoseconds: 25, timesOpenCombine: 4, allocatesNothing: true)
    case .passthroughToEight: Goal(timesOpenCombine: 5)
    case .zip: Goal(timesOpenCombine: 20, spread: Self.fanIn)
    case .merge, .combineLatest: Goal(spread: Self.fanIn)
    case .receiveOn: Goal(timesOpenCombine: 10, wakesOnce: true)
    case .twoThreads, .twoThreadsShared: Goal(timesOneThread: 1.8)
    case .values: Goal(timesAsync: 1)
    // A thread with a small stack made these attempts. Noise may add half of the time.
    case .longRetry: Goal(linear: (shorter: .retry, margin: 1.5))
    // Ten times as many objects do not fit into the caches.
    case .leavingCrowd: Goal(linear: (shorter: .leaving, margin: 2.5))
    case .clearingSetCrowd: Goal(linear: (shorter: .clearingSet, margin: 2.5))
    case .replayEndCrowd: Goal(linear: (shorter: .replayEnd, margin: 2.5))
    case .sharedEndCrowd: Goal(linear: (shorter: .sharedEnd, margin: 2.5))
    case .flightCrowd: Goal(linear: (shorter: .flight, margin: 2.5))
    case .leaving, .clearingSet, .replayEnd, .sharedEnd, .flight: Goal()
    case .currentValue, .retry, .scan, .reduce, .prefix, .share: Goal()
    case .toCombine, .fromCombine, .throughCombine: Goal()
    }
  }

  private static let fanIn = (cases: Set<Case>([.zip, .merge, .combineLatest]), factor: 3.0)
}
