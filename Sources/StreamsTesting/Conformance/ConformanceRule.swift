/// A promise of a publisher, an operator or a subject, which the kit checks.
///
/// Each rule has its numbers: `C-…` in the contract of Streams (`Docs/Streams.md`), `RS …` in
/// Reactive Streams 1.0.4.
public enum ConformanceRule: String, Sendable, Hashable, CaseIterable {
  // Rules of every publisher.
  case serial, subscriptionFirst, oneSubscription, nothingAfterEnd, progress
  case demand, demandAddsUp, demandSaturates, noneIsNothing, endNeedsNoDemand
  case finalCancel, cancelElsewhere, repeatedCalls
  case independence, constantStack, noLockHeld, release, laziness

  // Rules of operators, towards their upstream.
  case upstreamDemand, upstreamCost, upstreamCancel, earlyEnd, silenceAfterEnd
  case failure, failureAtOnce, passedContext
  case secondSubscription, valueAfterEnd, secondEnd, beforeSubscription, excess, strayAfterCancel

  // Rules of operators that share one upstream, of those that hop, and of subjects.
  case oneConnection, hopOrder, hopDemand, hopCancel, oneOrder

  /// The numbers of the rule, such as `C-3` and `RS 1.1`.
  public var ids: [String] { text.ids }

  /// The rule in one sentence.
  public var sentence: String { text.sentence }

  /// The remedy for a broken rule.
  public var remedy: String { text.remedy }
}

extension ConformanceRule: CustomStringConvertible {
  public var description: String { "\(ids.joined(separator: ", ")): \(sentence)" }
}
