import Synchronization

/// A driver of a stream whose end may come from another source than its values.
///
/// The end follows a signal in flight instead of overlapping it, and cancels both sources.
@usableFromInline final class OutsideEnd<Downstream: Subscriber>: SubscriptionDriver {
  @usableFromInline struct State: Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var end: Subscribers.Completion<Downstream.Failure>?

    @inlinable init(downstream: Downstream) {
      self.downstream = downstream
    }
  }

  @usableFromInline let mark = LeakMark("outsideEnd")
  @usableFromInline let context: SubscriptionContext
  @usableFromInline let values = UpstreamGate()
  @usableFromInline let other = UpstreamGate()
  @usableFromInline let state: Lock<State>
  /// Odd after the end is decided, plus two for each signal in flight.
  ///
  /// The subscription counts as a signal in flight from the start, so that no end can come before
  /// it.
  @usableFromInline let activity = Atomic<Int>(2)

  /// Whether values are passed on.
  ///
  /// If false, they are dropped.
  @usableFromInline let isPassing: Atomic<Bool>

  @inlinable init(_ downstream: Downstream, isPassing: Bool) {
    context = downstream.context
    state = Lock(State(downstream: downstream))
    self.isPassing = Atomic(isPassing)
  }

  /// Begins to pass values, and cancels their publisher if the end is decided.
  ///
  /// The downstream has its subscription before that cancel, because code that runs in the cancel
  /// may cancel the downstream. This method opens the gate and then reads the activity. `close(_:)`
  /// writes the activity and then reads the gate. Acquiring and releasing do not order a write of
  /// one word before a read of another. Without the fences, both methods could read the old words,
  /// and neither would cancel.
  @inlinable
  func begin(_ subscription: any Subscription, _ downstream: Downstream, for owner: Any.Type) {
    guard values.admit(subscription, for: owner) else { return }
    downstream.receive(subscription: ClosureSubscription(self))
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if isEndDecided { values.cancel() }
    leave()
  }

  @inlinable var isEndDecided: Bool { !activity.load(ordering: .acquiring).isMultiple(of: 2) }

  @inlinable func request(_ demand: Subscribers.Demand) {
    if !isEndDecided { values.current?.request(demand) }
  }

  /// Begins a signal.
  ///
  /// After the end is decided, it returns false, and no signal may be sent.
  @inlinable func enter() -> Bool {
    let before = activity.add(2, ordering: .acquiringAndReleasing).oldValue
    if before.isMultiple(of: 2) { return true }
    leave()
    return false
  }

  @inlinable func leave() {
    let after = activity.subtract(2, ordering: .acquiringAndReleasing).newValue
    if after == 1 { deliverEnd() }
  }

  /// Decides how the stream ends.
  ///
  /// Only the first decision counts.
  @inlinable func close(_ completion: Subscribers.Completion<Downstream.Failure>) {
    state.withLock { if $0.end == nil { $0.end = completion } }
    let before = activity.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if values.isOpen { values.cancel() }
    other.cancel()
    if before == 0 { deliverEnd() }
  }

  @inlinable func deliverEnd() {
    let (downstream, end) = state.withLock { ($0.downstream.take(), $0.end) }
    if let downstream, let end { downstream.receive(completion: end) }
  }

  @inlinable func cancel() {
    let released = state.withLock { $0.downstream.take() }
    _ = activity.bitwiseOr(1, ordering: .acquiringAndReleasing)
    values.cancel()
    other.cancel()
    withExtendedLifetime(released) {}
  }
}

/// A subscriber to the publisher of the values.
@frozen @usableFromInline struct OutsideEndSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline let driver: OutsideEnd<Downstream>
  @usableFromInline let downstream: Downstream

  @inlinable init(driver: OutsideEnd<Downstream>, downstream: Downstream) {
    self.driver = driver
    self.downstream = downstream
  }

  @inlinable var context: SubscriptionContext { downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    driver.begin(subscription, downstream, for: Self.self)
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    guard driver.values.admitsValue(for: Self.self) else { return .none }
    guard driver.isPassing.load(ordering: .acquiring) else { return .max(1) }
    guard driver.enter() else { return .none }
    defer { driver.leave() }
    return downstream.receive(input)
  }

  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    let hasStarted = driver.values.phase != .awaiting
    guard driver.values.finish(for: Self.self) else { return }
    driver.close(completion)
    if !hasStarted { driver.leave() }
  }
}

/// A subscriber to the other publisher, whose first value decides.
@frozen @usableFromInline
struct OutsideSignalSubscriber<Downstream: Subscriber, Input: Sendable, Failure: Error>:
  Subscriber
{
  @usableFromInline typealias Completion = Subscribers.Completion<Failure>

  @usableFromInline let driver: OutsideEnd<Downstream>
  @usableFromInline let onValue: @Sendable () -> Void
  @usableFromInline let onEnd: @Sendable (Completion) -> Void

  @inlinable init(
    driver: OutsideEnd<Downstream>, onValue: @escaping @Sendable () -> Void,
    onEnd: @escaping @Sendable (Completion) -> Void
  ) {
    self.driver = driver
    self.onValue = onValue
    self.onEnd = onEnd
  }

  @inlinable var context: SubscriptionContext { driver.context }

  @inlinable func receive(subscription: any Subscription) {
    guard driver.other.admit(subscription, for: Self.self) else { return }
    subscription.request(.max(1))
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    guard driver.other.admitsValue(for: Self.self) else { return .none }
    if driver.other.abort() { onValue() }
    return .none
  }

  @inlinable func receive(completion: Completion) {
    if driver.other.finish(for: Self.self) { onEnd(completion) }
  }
}
