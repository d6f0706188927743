import Cases

public enum OpenCombineContenders {
  /// The contenders with OpenCombine, which has no merge and no combineLatest.
  public static func all(for workCase: Case) -> [Contender] {
    switch workCase {
    case .chain: [Contender(.openCombine, run: Chains.plain)]
    case .erasedChain: [Contender(.openCombine, run: Chains.erased)]
    case .twelveStages: [Contender(.openCombine, run: Chains.twelveStages)]
    case .subscription: [Contender(.openCombine, run: Subscribing.building)]
    case .flatMap: [Contender(.openCombine, run: Chains.flatMap)]
    case .passthroughToOne: [Contender(.openCombine) { Sending.passthrough($0, to: 1) }]
    case .passthroughToEight: [Contender(.openCombine) { Sending.passthrough($0, to: 8) }]
    case .currentValue: [Contender(.openCombine, run: Sending.currentValue)]
    case .zip: [Contender(.openCombine, run: Combining.zip)]
    case .merge, .combineLatest: []
    case .receiveOn: [Contender(.openCombine, run: Threads.receiveOn)]
    case .twoThreads:
      [
        Contender(.openCombine) { onTwoThreads($0, Subscribing.building) },
        Contender(.openCombineAlone) {
          Subscribing.building($0 / 2) &+ Subscribing.building($0 / 2)
        },
      ]
    case .twoThreadsShared:
      [
        Contender(.openCombine) { size in
          // The publisher is not Sendable, but its content never changes.
          nonisolated(unsafe) let pipeline = Subscribing.pipeline()
          return onTwoThreads(size) { Subscribing.toOne(pipeline, $0) }
        },
        Contender(.openCombineAlone) { Subscribing.toOne(Subscribing.pipeline(), $0) },
      ]
    case .values: [Contender(.openCombine, run: Threads.values)]
    case .retry, .longRetry: [Contender(.openCombine, run: Retrying.retry)]
    case .scan: [Contender(.openCombine, run: Folding.scan)]
    case .reduce: [Contender(.openCombine, run: Folding.reduce)]
    case .prefix: [Contender(.openCombine, run: Folding.prefix)]
    case .share: [Contender(.openCombine, run: Folding.share)]
    case .toCombine, .fromCombine, .throughCombine:
      [Contender(.openCombine, run: Chains.oneStage)]
    case .leaving, .leavingCrowd, .clearingSet, .clearingSetCrowd, .replayEnd, .replayEndCrowd,
      .sharedEnd, .sharedEndCrowd, .flight, .flightCrowd:
      []
    }
  }
}
