extension Publishers {
  /// What waits for a downstream, and what a ``Publishers/TimedStage`` wants done once the lock is released.
  public struct Outlet<Output: Sendable, Failure: Error>: Sendable {
    /// The scheduler's time as something happens; zero without a scheduler.
    public var now = Duration.zero
    /// What the downstream asked for and has not got.
    public var demand = Subscribers.Demand.none
    /// What to ask the upstream for.
    public var request = Subscribers.Demand.none
    /// When to wake the stage.
    ///
    /// Moving it later costs nothing: the timer that runs looks again.
    public var deadline: Duration?
    /// How the stage ends.
    public var end: OutletEnd<Failure>?
    /// Values to release without the lock.
    @usableFromInline var dropped = DroppedValues<Output>()
    /// The values that wait for demand, or for their turn.
    @usableFromInline var ready = FIFO<Output>()

    @inlinable init() {}

    /// Demand that no value waits for.
    @inlinable public var unserved: Subscribers.Demand { demand - ready.count }

    /// How many values wait.
    @inlinable public var waiting: Int { ready.count }

    /// Lets a value wait for its turn.
    @inlinable public mutating func send(_ value: Output) {
      ready.append(value)
    }

    /// Lets a value wait in place of the one that has waited longest.
    @inlinable public mutating func replaceOldest(_ value: Output) {
      drop(ready.popFirst())
      ready.append(value)
    }

    /// Keeps a value that the stage is done with until it can be released without the lock.
    ///
    /// Its release may run code of the user's, which may call back.
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

  /// How a ``Publishers/TimedStage`` ends.
  @frozen public enum OutletEnd<Failure: Error>: Sendable {
    /// Once the values that wait have been delivered.
    case afterValues(Subscribers.Completion<Failure>)
    /// At once, without those values that nobody has asked for.
    case urgent(Subscribers.Completion<Failure>)
    /// At once, by the stage's own decision, with what the closure says: the upstream is cancelled.
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

    /// A finish after the values; a failure at once.
    @inlinable
    public static func failingFast(_ completion: Subscribers.Completion<Failure>) -> OutletEnd {
      switch completion {
      case .finished: .afterValues(completion)
      case .failure: .urgent(completion)
      }
    }
  }
}

/// Values that wait to be released: as a rule one, which needs no room elsewhere.
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
