extension Publishers {
  /// A state machine of value type that handles values, time and demand, and only moves values.
  ///
  /// It runs under a lock. User code belongs in ``Publishers/OutletEnd/lapsed(_:)``, which runs
  /// without the lock. Each subscription works on its own copy.
  public protocol TimedStage<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// Handles an event, and tells the outlet what follows.
    mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<Output, Failure>)

    /// Stops the work that still runs after the stream is over.
    ///
    /// It is called without the lock, and does nothing by default.
    func discard()
  }
}

extension Publishers.TimedStage {
  @inlinable public func discard() {}
}

extension Publishers {
  /// An event for a ``Publishers/TimedStage``.
  @frozen public enum TimedEvent<Input: Sendable, Failure: Error>: Sendable {
    /// The subscription begins.
    ///
    /// The downstream has the subscription already, and may have requested values.
    case begin
    /// A value arrived.
    case value(Input)
    /// The upstream has ended.
    case end(Subscribers.Completion<Failure>)
    /// The downstream requested more values, which the outlet counts already.
    case demand(Subscribers.Demand)
    /// A value goes to the downstream.
    ///
    /// The outlet's request is made after that.
    case delivery
    /// The deadline has come and is unset.
    case wake
  }
}
