extension Publishers {
  /// The values that wait for a downstream, and the work that a ``Publishers/TimedStage`` leaves
  /// for after the lock.
  public struct Outlet<Output: Sendable, Failure: Error>: Sendable {
    /// The scheduler's time at the event, or zero without a scheduler.
    public var now = Duration.zero
    /// The demand of the downstream that is not served yet.
    public var demand = Subscribers.Demand.none
    /// The demand to request from the upstream.
    public var request = Subscribers.Demand.none
    /// The time at which to wake the stage.
    ///
    /// Moving it later costs nothing, because the running timer checks it again.
    public var deadline: Duration?
    /// The end of the stage, or nil while it runs.
    public var end: OutletEnd<Failure>?
    /// Values to release without the lock.
    @usableFromInline var dropped = DroppedValues<Output>()
    /// The values that wait for demand or for their turn.
    @usableFromInline var ready = FIFO<Output>()

    @inlinable init() {}

    /// The demand for which no value waits.
    @inlinable public var unserved: Subscribers.Demand { demand - ready.count }

    /// The number of waiting values.
    @inlinable public var waiting: Int { ready.count }

    /// Adds a value to the waiting ones.
    @inlinable public mutating func send(_ value: Output) {
      ready.append(value)
    }

    /// Adds a value in place of the one that has waited longest.
    @inlinable public mutating func replaceOldest(_ value: Output) {
      drop(ready.popFirst())
      ready.append(value)
    }

    /// Keeps a value that the stage no longer needs until it can be released without the lock.
    ///
    /// The release may run user code, which may call back.
    @inlinable public mutating func drop(_ value: Output?) {
      if let value { dropped.add(value) }
    }

    @inlinable var isDeliverable: Bool {
      (demand > .none && !ready.isEmpty) || (end.map { $0.isUrgent || ready.isEmpty } ?? false)
    }

    @inlinable mutating func takeRequest() -> Subscribers.Demand {
      defer { request = .none }
      return request
    }
  }

  /// The way in which a ``Publishers/TimedStage`` ends.
  @frozen public enum OutletEnd<Failure: Error>: Sendable {
    /// After the waiting values have been delivered.
    case afterValues(Subscribers.Completion<Failure>)
    /// At once, without the waiting values that are not requested.
    case urgent(Subscribers.Completion<Failure>)
    /// At once, by the stage's own decision, with the completion that the closure returns.
    ///
    /// The upstream is cancelled.
    case lapsed(@Sendable () -> Subscribers.Completion<Failure>)

    @inlinable var isUrgent: Bool {
      if case .afterValues = self { false } else { true }
    }

    @inlinable var isLapsed: Bool {
      if case .lapsed = self { true } else { false }
    }

    @inlinable var completion: Subscribers.Completion<Failure> {
      switch self {
      case .afterValues(let completion), .urgent(let completion): completion
      case .lapsed(let make): make()
      }
    }

    /// Returns an end after the values for a finish, and an end at once for a failure.
    @inlinable
    public static func failingFast(_ completion: Subscribers.Completion<Failure>) -> OutletEnd {
      switch completion {
      case .finished: .afterValues(completion)
      case .failure: .urgent(completion)
      }
    }
  }
}

/// Values that wait to be released.
///
/// Usually there is one, which needs no extra storage.
@usableFromInline struct DroppedValues<Value: Sendable>: Sendable {
  @usableFromInline var first: Value?
  @usableFromInline var others: [Value] = []

  @inlinable init() {}

  @inlinable mutating func add(_ value: Value) {
    if first == nil { first = value } else { others.append(value) }
  }

  @inlinable mutating func takeAll() -> DroppedValues {
    exchange(&self, with: DroppedValues())
  }
}
