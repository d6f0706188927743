import Cases

public enum StreamsContenders {
  /// Returns the number of times that a scheduler wakes up for one batch, if a case has one.
  public static func wakeUps(for workCase: Case) -> Int? {
    workCase == .receiveOn ? Threads.wakeUps(workCase.size) : nil
  }

  /// The contenders with Streams.
  public static func all(for workCase: Case) -> [Contender] {
    switch workCase {
    case .chain: [Contender(.streams, run: Chains.plain)]
    case .erasedChain: [Contender(.streams, run: Chains.erased)]
    case .twelveStages: [Contender(.streams, run: Chains.twelveStages)]
    case .subscription: [Contender(.streams, run: Subscribing.building)]
    case .flatMap: [Contender(.streams, run: Chains.flatMap)]
    case .passthroughToOne: [Contender(.streams) { Sending.passthrough($0, to: 1) }]
    case .passthroughToEight: [Contender(.streams) { Sending.passthrough($0, to: 8) }]
    case .currentValue: [Contender(.streams, run: Sending.currentValue)]
    case .zip: [Contender(.streams, run: Combining.zip)]
    case .merge: [Contender(.streams, run: Combining.merge)]
    case .combineLatest: [Contender(.streams, run: Combining.combineLatest)]
    case .receiveOn: [Contender(.streams, run: Threads.receiveOn)]
    case .twoThreads:
      [
        Contender(.streams) { onTwoThreads($0, Subscribing.building) },
        Contender(.streamsAlone) { Subscribing.building($0 / 2) &+ Subscribing.building($0 / 2) },
      ]
    case .twoThreadsShared:
      [
        Contender(.streams) { size in
          onTwoThreads(size) { Subscribing.toOne(Subscribing.pipeline, $0) }
        },
        Contender(.streamsAlone) { Subscribing.toOne(Subscribing.pipeline, $0) },
      ]
    case .values: [Contender(.streams, run: Threads.values)]
    case .retry, .longRetry: [Contender(.streams, run: Retrying.retry)]
    case .scan: [Contender(.streams, run: Folding.scan)]
    case .reduce: [Contender(.streams, run: Folding.reduce)]
    case .prefix: [Contender(.streams, run: Folding.prefix)]
    case .share: [Contender(.streams, run: Folding.share)]
    case .toCombine, .fromCombine, .throughCombine: []
    case .leaving, .leavingCrowd: [Contender(.streams, run: Crowds.leaving)]
    case .clearingSet, .clearingSetCrowd: [Contender(.streams, run: Crowds.clearingSet)]
    case .replayEnd, .replayEndCrowd: [Contender(.streams, run: Crowds.replayEnd)]
    case .sharedEnd, .sharedEndCrowd: [Contender(.streams, run: Crowds.sharedEnd)]
    case .flight, .flightCrowd: [Contender(.streams, run: Crowds.flight)]
    }
  }
}
