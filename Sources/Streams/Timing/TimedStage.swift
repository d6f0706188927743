extension Publishers {
  /// What an operator makes of values, of time and of demand: a state machine of value type that only
  /// moves values.
  ///
  /// It runs under a lock: what a user wrote belongs into ``Publishers/OutletEnd/lapsed(_:)``, which runs without.
  /// Each subscription works on a copy of its own.
  public protocol TimedStage<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// Takes in what happens, and tells the outlet what is to follow.
    mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<Output, Failure>)

    /// The stream is over: stops what still runs, without the lock; nothing unless it says otherwise.
    func discard()
  }
}

extension Publishers.TimedStage {
  @inlinable public func discard() {}
}

extension Publishers {
  /// What happens to a ``Publishers/TimedStage``.
  @frozen public enum TimedEvent<Input: Sendable, Failure: Error>: Sendable {
    /// The subscription begins; the downstream has it already, and may have asked for values.
    case begin
    /// A value came.
    case value(Input)
    /// The upstream's end came.
    case end(Subscribers.Completion<Failure>)
    /// The downstream asked for more; the outlet counts it already.
    case demand(Subscribers.Demand)
    /// A value goes to the downstream, after which the outlet's request is made.
    case delivery
    /// The deadline has come; it is unset.
    case wake
  }
}
