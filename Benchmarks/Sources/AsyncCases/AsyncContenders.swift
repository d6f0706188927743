import AsyncAlgorithms
import Cases

public enum AsyncContenders {
  /// The contenders with asynchronous sequences, for cases that they can implement.
  public static func all(for workCase: Case) -> [Contender] {
    switch workCase {
    case .chain: [Contender(.asyncSequences) { size in waiting { await Chains.plain(size) } }]
    case .twelveStages:
      [Contender(.asyncSequences) { size in waiting { await Chains.twelveStages(size) } }]
    case .flatMap: [Contender(.asyncSequences) { size in waiting { await Chains.flatMap(size) } }]
    case .zip: [Contender(.asyncSequences) { size in waiting { await Combining.zip(size) } }]
    case .merge: [Contender(.asyncSequences) { size in waiting { await Combining.merge(size) } }]
    case .combineLatest:
      [Contender(.asyncSequences) { size in waiting { await Combining.combineLatest(size) } }]
    case .values: [Contender(.asyncSequences) { size in waiting { await Streaming.values(size) } }]
    case .scan: [Contender(.asyncSequences) { size in waiting { await Folding.scan(size) } }]
    case .reduce: [Contender(.asyncSequences) { size in waiting { await Folding.reduce(size) } }]
    case .prefix: [Contender(.asyncSequences) { size in waiting { await Folding.prefix(size) } }]
    case .share: [Contender(.asyncSequences) { size in waiting { await Folding.share(size) } }]
    case .erasedChain, .subscription, .passthroughToOne, .passthroughToEight, .currentValue,
      .receiveOn, .twoThreads, .twoThreadsShared, .retry, .longRetry, .toCombine, .fromCombine,
      .throughCombine,
      .leaving, .leavingCrowd, .clearingSet, .clearingSetCrowd, .replayEnd, .replayEndCrowd,
      .sharedEnd, .sharedEndCrowd, .flight, .flightCrowd:
      []
    }
  }
}
