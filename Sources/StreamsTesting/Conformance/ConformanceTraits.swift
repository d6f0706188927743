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

  public var demand: Demand
  public var failures: Failures
  /// Whether an operator hands its upstream's subscription on and keeps no state, as `map` does.
  ///
  /// It then relies on its upstream and on what stands below for all that needs a memory.
  public var isTransparent: Bool
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

  public init(
    demand: Demand = .passedOn, failures: Failures = .passedOn, isTransparent: Bool = false,
    isShared: Bool = false, isAsynchronous: Bool = false, stackValues: Int = 10_000
  ) {
    self.demand = demand
    self.failures = failures
    self.isTransparent = isTransparent
    self.isShared = isShared
    self.isAsynchronous = isAsynchronous
    self.stackValues = stackValues
  }
}
