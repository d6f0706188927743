import Cases

public enum PlainContenders {
  /// The contenders without a library: lazy sequences, and code written by hand.
  public static func all(for workCase: Case) -> [Contender] {
    switch workCase {
    case .chain:
      [Contender(.lazy, run: LazyChains.plain), Contender(.byHand, run: ByHand.chain)]
    case .erasedChain: [Contender(.lazy, run: LazyChains.erased)]
    case .twelveStages:
      [
        Contender(.lazy, run: LazyChains.twelveStages),
        Contender(.byHand, run: ByHand.twelveStages),
      ]
    case .flatMap: [Contender(.lazy, run: LazyChains.flatMap)]
    case .passthroughToOne: [Contender(.byHand) { ByHand.send($0, to: 1) }]
    case .passthroughToEight: [Contender(.byHand) { ByHand.send($0, to: 8) }]
    case .zip: [Contender(.lazy, run: LazyChains.zip)]
    case .receiveOn: [Contender(.byHand, run: ByHand.hop)]
    case .scan: [Contender(.byHand, run: ByHand.scan)]
    case .twoThreads:
      [
        Contender(.byHand) { onTwoThreads($0) { ByHand.spin($0) { $0 } } },
        Contender(.byHandAlone) { ByHand.spin($0 / 2) { $0 } &+ ByHand.spin($0 / 2) { $0 } },
      ]
    case .twoThreadsShared:
      [
        Contender(.byHand) { onTwoThreads($0) { ByHand.spin($0) { _ in 1 } } },
        Contender(.byHandAlone) { ByHand.spin($0) { _ in 1 } },
      ]
    case .subscription, .currentValue, .merge, .combineLatest, .values, .retry, .longRetry, .reduce,
      .prefix, .share, .toCombine, .fromCombine, .throughCombine, .leaving, .leavingCrowd,
      .clearingSet, .clearingSetCrowd, .replayEnd,
      .replayEndCrowd, .sharedEnd, .sharedEndCrowd, .flight, .flightCrowd:
      []
    }
  }
}
