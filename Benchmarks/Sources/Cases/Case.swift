/// A measured case.
///
/// Each library does the same work for a case, or has no contender for it.
public enum Case: CaseIterable, Sendable {
  case chain
  case erasedChain
  case twelveStages
  case subscription
  case flatMap
  case passthroughToOne
  case passthroughToEight
  case currentValue
  case zip
  case merge
  case combineLatest
  case receiveOn
  case twoThreads
  case twoThreadsShared
  case values
  case retry
  case longRetry
  case scan
  case reduce
  case prefix
  case share
  case toCombine
  case fromCombine
  case throughCombine
  case leaving
  case leavingCrowd
  case clearingSet
  case clearingSetCrowd
  case replayEnd
  case replayEndCrowd
  case sharedEnd
  case sharedEndCrowd
  case flight
  case flightCrowd

  public var title: String {
    switch self {
    case .chain: "sequence → map → filter → map → sink"
    case .erasedChain: "the same, erased after every stage"
    case .twelveStages: "12 map and filter stages"
    case .subscription: "`Just` through 4 stages: build, sink, one value, end"
    case .flatMap: "flatMap over `Just`"
    case .passthroughToOne: "PassthroughSubject to 1 subscriber"
    case .passthroughToEight: "PassthroughSubject to 8 subscribers"
    case .currentValue: "CurrentValueSubject to 1 subscriber"
    case .zip: "zip of two sequences"
    case .merge: "merge of two sequences"
    case .combineLatest: "combineLatest of two sequences"
    case .receiveOn: "receive(on: serial queue), a burst of 10⁵"
    case .twoThreads: "subscribing from 2 threads, each builds its pipeline"
    case .twoThreadsShared: "subscribing from 2 threads to one erased pipeline"
    case .values: "`for await` over values"
    case .retry: "synchronous retry, 10⁴ attempts"
    case .longRetry: "synchronous retry, 10⁵ attempts"
    case .scan: "sequence → scan → sink"
    case .reduce: "sequence → reduce → sink"
    case .prefix: "sequence → prefix → sink"
    case .share: "sequence → share → sink"
    case .toCombine: "sequence → map → Combine → sink of Combine"
    case .fromCombine: "sequence of Combine → map → Streams → sink"
    case .throughCombine: "sequence → map → Combine → Streams → sink"
    case .leaving: "10⁵ sinks of one subject, cancelled oldest first"
    case .leavingCrowd: "10⁶ sinks of one subject, cancelled oldest first"
    case .clearingSet: "a set of 10⁵ sinks of one subject, cleared"
    case .clearingSetCrowd: "a set of 10⁶ sinks of one subject, cleared"
    case .replayEnd: "the end of a ReplaySubject with 10⁵ sinks"
    case .replayEndCrowd: "the end of a ReplaySubject with 10⁶ sinks"
    case .sharedEnd: "the end of share(replay:) with 10⁵ sinks"
    case .sharedEndCrowd: "the end of share(replay:) with 10⁶ sinks"
    case .flight: "one response of a SingleFlight to 10⁵ callers"
    case .flightCrowd: "one response of a SingleFlight to 10⁶ callers"
    }
  }

  /// The unit of the times.
  public var unit: String {
    switch self {
    case .chain, .erasedChain, .receiveOn, .values, .scan, .reduce, .prefix, .share, .toCombine,
      .fromCombine, .throughCombine:
      "value"
    case .twelveStages: "stage and value"
    case .subscription, .twoThreads, .twoThreadsShared: "subscription"
    case .flatMap: "inner"
    case .passthroughToOne, .passthroughToEight, .currentValue: "send"
    case .zip, .merge, .combineLatest: "pair"
    case .retry, .longRetry: "attempt"
    case .leaving, .leavingCrowd, .clearingSet, .clearingSetCrowd, .replayEnd, .replayEndCrowd,
      .sharedEnd, .sharedEndCrowd:
      "sink"
    case .flight, .flightCrowd: "caller"
    }
  }

  /// The size of a run: its number of values, subscriptions or attempts.
  public var size: Int {
    switch self {
    case .chain, .erasedChain: 500_000
    case .twelveStages, .values: 100_000
    case .zip, .merge, .combineLatest, .share: 40_000
    case .flatMap, .scan, .reduce, .prefix, .toCombine, .fromCombine, .throughCombine: 200_000
    case .passthroughToOne, .currentValue: 200_000
    case .passthroughToEight: 50_000
    case .subscription: 40_000
    case .twoThreads, .twoThreadsShared: 60_000
    case .receiveOn, .longRetry: 100_000
    case .retry: 10_000
    case .leaving, .clearingSet, .replayEnd, .sharedEnd, .flight: 100_000
    case .leavingCrowd, .clearingSetCrowd, .replayEndCrowd, .sharedEndCrowd, .flightCrowd: 1_000_000
    }
  }

  /// Returns the number of units in a run of a size.
  public func units(in size: Int) -> Int {
    self == .twelveStages ? size * 12 : size
  }
}
