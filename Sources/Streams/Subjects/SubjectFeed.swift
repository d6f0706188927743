/// A subscriber that feeds a subject with the values and the end of a publisher, as far as a gate
/// lets them pass.
@frozen @usableFromInline struct SubjectFeed<Fed: Subject>: Subscriber {
  @usableFromInline let gate: UpstreamGate
  @usableFromInline let subject: Fed
  @usableFromInline let begin: @Sendable (any Subscription) -> Void
  @usableFromInline let willEnd: @Sendable (Subscribers.Completion<Fed.Failure>) -> Void

  /// - Parameters:
  ///   - begin: A closure that requests values, by default all of them.
  ///   - willEnd: A closure that runs before the subject gets the end.
  @inlinable init(
    gate: UpstreamGate, subject: Fed,
    begin: @escaping @Sendable (any Subscription) -> Void = { $0.request(.unlimited) },
    willEnd: @escaping @Sendable (Subscribers.Completion<Fed.Failure>) -> Void
  ) {
    self.gate = gate
    self.subject = subject
    self.begin = begin
    self.willEnd = willEnd
  }

  @inlinable func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { begin(subscription) }
  }

  @inlinable func receive(_ input: Fed.Output) -> Subscribers.Demand {
    if gate.admitsValue(for: Self.self) { subject.send(input) }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Fed.Failure>) {
    guard gate.finish(for: Self.self) else { return }
    willEnd(completion)
    subject.send(completion: completion)
  }
}

extension AnySubscriber {
  /// Creates a subscriber that feeds a subject, as ``Publisher/subscribe(_:)-(Fed)`` does.
  ///
  /// The subject receives the subscription, requests everything from it, and receives the values
  /// and the end.
  ///
  /// - Parameter subject: The subject to feed, which is held until the end or a cancel.
  @inlinable public init<Fed: Subject>(_ subject: Fed)
  where Fed.Output == Input, Fed.Failure == Failure {
    let gate = UpstreamGate()
    self.init(
      SubjectFeed(
        gate: gate, subject: subject,
        begin: { _ in subject.send(subscription: GateSubscription(gate)) }, willEnd: { _ in }))
  }
}

/// The subscriptions that feed a subject.
///
/// Subscriptions that are over are released at each doubling, which costs O(1) on average for each
/// new one.
@usableFromInline struct SubjectUpstreams: Sendable {
  @usableFromInline var subscriptions: [any Subscription] = []
  @usableFromInline var limit = 8

  @inlinable init() {}

  /// - Returns: The subscriptions to release without the lock.
  @usableFromInline mutating func add(_ subscription: any Subscription) -> [any Subscription] {
    var released: [any Subscription] = []
    if subscriptions.count >= limit {
      released = exchange(&subscriptions, with: [])
      subscriptions = released.filter { !(($0 as? GateSubscription)?.isOver ?? false) }
      limit = max(8, subscriptions.count * 2)
    }
    subscriptions.append(subscription)
    return released
  }

  @usableFromInline mutating func takeAll() -> [any Subscription] {
    exchange(&subscriptions, with: [])
  }
}

/// A subject's hold on a publisher that feeds it.
@frozen @usableFromInline struct GateSubscription: Subscription {
  @usableFromInline let gate: UpstreamGate
  @usableFromInline let willCancel: @Sendable () -> Void

  /// - Parameter willCancel: A closure that runs before each cancel by the subject.
  @inlinable init(_ gate: UpstreamGate, willCancel: @escaping @Sendable () -> Void = {}) {
    self.gate = gate
    self.willCancel = willCancel
  }

  @usableFromInline var isOver: Bool { gate.phase == .finished || gate.phase == .cancelled }

  @usableFromInline func request(_ demand: Subscribers.Demand) {
    if demand > .none { gate.current?.request(demand) }
  }

  // At its end, a subject cancels all publishers that feed it, but not those that have ended
  // already.
  @usableFromInline func cancel() {
    willCancel()
    if gate.isOpen { gate.cancel() }
  }
}
