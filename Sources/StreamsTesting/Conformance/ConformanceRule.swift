/// What a publisher, an operator or a subject promises, and the kit checks.
///
/// Each rule has the numbers that it goes by: `C-…` in the contract of Streams (`Docs/Streams.md`),
/// `RS …` in Reactive Streams 1.0.4.
public enum ConformanceRule: String, Sendable, Hashable, CaseIterable {
  // Of every publisher.
  case serial, subscriptionFirst, oneSubscription, nothingAfterEnd, progress
  case demand, demandAddsUp, demandSaturates, noneIsNothing, endNeedsNoDemand
  case finalCancel, cancelElsewhere, repeatedCalls
  case independence, constantStack, noLockHeld, release, laziness

  // Of operators, towards their upstream.
  case upstreamDemand, upstreamCost, upstreamCancel, earlyEnd, silenceAfterEnd
  case failure, failureAtOnce, passedContext
  case secondSubscription, valueAfterEnd, secondEnd, beforeSubscription, excess, strayAfterCancel

  // Of operators that share one upstream, of those that hop, and of subjects.
  case oneConnection, hopOrder, hopDemand, hopCancel, oneOrder

  /// The numbers of the rule, as `C-3` and `RS 1.1`.
  public var ids: [String] { text.ids }

  /// The rule in a sentence.
  public var sentence: String { text.sentence }

  /// What to do where the rule is broken.
  public var remedy: String { text.remedy }
}

extension ConformanceRule: CustomStringConvertible {
  public var description: String { "\(ids.joined(separator: ", ")): \(sentence)" }
}
