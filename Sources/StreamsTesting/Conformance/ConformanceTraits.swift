/// What a publisher or an operator declares about itself, so that the kit knows what to expect.
///
/// The defaults are those of a plain operator such as `map` or `filter`, and of a plain publisher.
public struct ConformanceTraits: Sendable {
  /// What an operator asks its upstream for.
  public enum Demand: Sendable {
    /// What it was asked for itself, and replacements for the values that it drops.
    case passedOn
    /// Everything, at once.
    case unlimited
    /// Something else.
    case own
  }

  /// What an operator does with its upstream's failure.
  public enum Failures: Sendable {
    /// It ends with the same failure, at once.
    case passedOn
    /// It does something else: recovers, tries again, makes a value of it.
    case handled
  }

  /// What an operator remembers of its upstream.
  public enum Memory: Sendable {
    /// It hands out a subscription of its own, and knows of a cancel and of the end.
    case full
    /// It hands its upstream's subscription on, and knows of the end only, as `tryMap` does.
    case ofTheEnd
    /// It hands its upstream's subscription on and keeps no state, as `map` does.
    case none
  }

  public var demand: Demand
  public var failures: Failures
  /// What it remembers of its upstream; for the rest it relies on what stands above and below it.
  public var memory: Memory
  /// Whether values that nobody asked for in time are dropped, as `throttle` drops them.
  ///
  /// How many come is then no rule; that no more come than were asked for is.
  public var isLossy: Bool
  /// Whether values come in one order however they are asked for; not so with `merge`.
  public var isOrdered: Bool
  /// Whether all subscribers share one subscription to the upstream, as with `share`.
  public var isShared: Bool
  /// Whether signals come from tasks or threads of its own, so that the kit has to wait for them.
  ///
  /// It then checks what comes, and not when: a signal that comes too many is noticed if it comes
  /// while the check still runs.
  public var isAsynchronous: Bool
  /// How many values show that the stack does not grow.
  ///
  /// Its depth is measured, so that ten thousand show what a million would.
  public var stackValues: Int
  /// How long to wait for what should come at once before it is said to hang.
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
