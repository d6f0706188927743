/// The properties that a publisher or an operator declares, so that the kit knows what to expect.
///
/// The defaults fit a plain operator, such as `map` or `filter`, and a plain publisher.
public struct ConformanceTraits: Sendable {
  /// The demand that an operator requests from its upstream.
  public enum Demand: Sendable {
    /// The downstream's demand, and replacements for the values that the operator drops.
    case passedOn
    /// Everything, at once.
    case unlimited
    /// Any other demand.
    case own
  }

  /// The way in which an operator handles its upstream's failure.
  public enum Failures: Sendable {
    /// The operator ends with the same failure, at once.
    case passedOn
    /// The operator does something else, for example recovers, tries again, or turns the failure
    /// into a value.
    case handled
  }

  /// The state that an operator keeps about its upstream.
  public enum Memory: Sendable {
    /// The operator hands out its own subscription, and knows of a cancel and of the end.
    case full
    /// The operator hands its upstream's subscription on, and knows only of the end, as `tryMap`
    /// does.
    case ofTheEnd
    /// The operator hands its upstream's subscription on and keeps no state, as `map` does.
    case none
  }

  public var demand: Demand
  public var failures: Failures
  /// The state that it keeps about its upstream.
  ///
  /// For the rest, it relies on the stages above and below it.
  public var memory: Memory
  /// Whether values that are not requested in time are dropped, as `throttle` drops them.
  ///
  /// If true, the kit does not check how many values arrive, but it checks that no more arrive than
  /// were requested.
  public var isLossy: Bool
  /// Whether values arrive in one order, however they are requested.
  ///
  /// `merge` is an operator for which this is false.
  public var isOrdered: Bool
  /// Whether all subscribers share one subscription to the upstream, as with `share`.
  public var isShared: Bool
  /// Whether signals come from tasks or threads of its own, so that the kit must wait for them.
  ///
  /// If true, the kit checks which signals arrive, and not when. It notices one signal too many
  /// only if the signal arrives while the check still runs.
  public var isAsynchronous: Bool
  /// The number of values for the check that the stack does not grow.
  ///
  /// The check measures the depth of the stack, so ten thousand values show as much as a million.
  public var stackValues: Int
  /// The time to wait for a signal that should arrive at once, before the kit reports that it
  /// hangs.
  public var patience: Duration

  public init(
    demand: Demand = .passedOn, failures: Failures = .passedOn, memory: Memory = .full,
    isLossy: Bool = false, isOrdered: Bool = true,
    isShared: Bool = false, isAsynchronous: Bool = false, stackValues: Int = 10_000,
    patience: Duration = .seconds(20)
  ) {
    self.demand = demand
    self.failures = failures
    self.memory = memory
    self.isLossy = isLossy
    self.isOrdered = isOrdered
    self.isShared = isShared
    self.isAsynchronous = isAsynchronous
    self.stackValues = stackValues
    self.patience = patience
  }
}
