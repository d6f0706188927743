/// What waits for a downstream, and what a stage wants done once the lock is released.
@usableFromInline
struct Outlet<Output: Sendable, Failure: Error>: Sendable {
  /// The values that wait for demand, or for their turn.
  @usableFromInline var ready = FIFO<Output>()
  @usableFromInline var demand = Subscribers.Demand.none
  @usableFromInline var end: OutletEnd<Failure>?
  /// When to wake the stage.
  ///
  /// Moving it later costs nothing: the timer that runs looks again.
  @usableFromInline var deadline: Duration?
  /// A value to release without the lock.
  @usableFromInline var dropped: Output?

  @inlinable init() {}

  /// Demand that no value waits for.
  @inlinable
  var unserved: Subscribers.Demand { demand - ready.count }

  @inlinable
  var isDeliverable: Bool {
    (demand > .none && !ready.isEmpty) || (end.map { $0.isUrgent || ready.isEmpty } ?? false)
  }

  /// Lets a value wait in place of the one that has waited longest.
  @inlinable
  mutating func replaceOldest(_ value: Output) {
    dropped = ready.popFirst()
    ready.append(value)
  }
}

/// How a stage ends.
@frozen
@usableFromInline
enum OutletEnd<Failure: Error>: Sendable {
  /// Once the values that wait have been delivered.
  case afterValues(Subscribers.Completion<Failure>)
  /// At once, without those values that nobody has asked for.
  case urgent(Subscribers.Completion<Failure>)
  /// At once, by the stage's own decision: the upstream is cancelled.
  case lapsed

  @inlinable
  var isUrgent: Bool {
    if case .afterValues = self { false } else { true }
  }

  @inlinable
  var isLapsed: Bool {
    if case .lapsed = self { true } else { false }
  }

  /// A finish after the values; a failure at once.
  @inlinable
  static func failingFast(_ completion: Subscribers.Completion<Failure>) -> OutletEnd {
    switch completion {
    case .finished: .afterValues(completion)
    case .failure: .urgent(completion)
    }
  }
}

/// What an outbox runs under its lock: a state machine of value type that only moves values.
///
/// Whatever a user wrote runs elsewhere; ``lapsed()`` is called without the lock.
@usableFromInline
protocol OutletStage<Input, Output, Failure>: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable
  associatedtype Failure: Error

  /// What to ask the upstream for at the start.
  var initialRequest: Subscribers.Demand { get }

  /// The subscription begins.
  mutating func begin(at now: Duration, outlet: inout Outlet<Output, Failure>)

  /// Takes in a value.
  mutating func receive(_ input: Input, at now: Duration, outlet: inout Outlet<Output, Failure>)

  /// Takes in the upstream's end.
  mutating func receive(
    completion: Subscribers.Completion<Failure>, at now: Duration,
    outlet: inout Outlet<Output, Failure>)

  /// The deadline has come; it is unset.
  mutating func wake(at now: Duration, outlet: inout Outlet<Output, Failure>)

  /// The downstream asked for more; the outlet counts it already.
  ///
  /// - Returns: What to ask the upstream for.
  mutating func requested(
    _ demand: Subscribers.Demand, at now: Duration, outlet: inout Outlet<Output, Failure>
  ) -> Subscribers.Demand

  /// What to ask the upstream for when a value is delivered.
  var requestAfterDelivery: Subscribers.Demand { get }

  /// The end of a stage that ends by itself.
  func lapsed() -> Subscribers.Completion<Failure>

  /// The stream is over: stops what still runs.
  func discard()
}

extension OutletStage {
  @inlinable var initialRequest: Subscribers.Demand { .unlimited }
  @inlinable mutating func begin(at now: Duration, outlet: inout Outlet<Output, Failure>) {}
  @inlinable mutating func wake(at now: Duration, outlet: inout Outlet<Output, Failure>) {}

  @inlinable
  mutating func requested(
    _ demand: Subscribers.Demand, at now: Duration, outlet: inout Outlet<Output, Failure>
  ) -> Subscribers.Demand { .none }

  @inlinable var requestAfterDelivery: Subscribers.Demand { .none }
  @inlinable func lapsed() -> Subscribers.Completion<Failure> { .finished }
  @inlinable func discard() {}
}
