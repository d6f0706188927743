import Streams

/// The state of a `ContractSubscriber`, which decides what to do with each signal and request.
///
/// No method here calls other code, so the state can be kept under a lock. Objects to release are
/// returned to the caller.
@usableFromInline struct ContractState<Downstream: Streams.Subscriber>: Sendable {
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline enum Phase: Sendable {
    case awaiting, open, ended, cancelled
  }

  /// The decision about a signal.
  @usableFromInline enum Verdict: Sendable {
    case deliver(Downstream)
    /// Another call is delivering and will deliver this signal, too.
    case wait
    /// The rule that the signal violates, or nil if a cancel explains it.
    case drop(ContractViolation.Rule?)
  }

  @usableFromInline enum Step: Sendable {
    case value(Downstream.Input)
    case end(Completion, releasing: UpstreamSubscription?)
    case nothing(unsent: Subscribers.Demand)
  }

  @usableFromInline var phase = Phase.awaiting
  @usableFromInline var downstream: Downstream?
  @usableFromInline var upstream: UpstreamSubscription?
  /// The number of values that the downstream still waits for.
  @usableFromInline var demand = Subscribers.Demand.none
  /// The part of the demand that was not yet requested from the upstream.
  @usableFromInline var unsent = Subscribers.Demand.none
  @usableFromInline var isDelivering = false
  @usableFromInline var isRequesting = false
  @usableFromInline var waiting = WaitingValues<Downstream.Input>()
  @usableFromInline var end: Completion?

  @inlinable init(_ downstream: Downstream) {
    self.downstream = downstream
  }

  // MARK: Signals

  @inlinable mutating func admit(_ subscription: UpstreamSubscription) -> Verdict {
    switch phase {
    case .awaiting:
      phase = .open
      upstream = subscription
      return begin()
    case .open, .ended: return .drop(.secondSubscription)
    case .cancelled: return .drop(nil)
    }
  }

  @inlinable mutating func admit(_ value: Downstream.Input) -> Verdict {
    switch phase {
    case .awaiting: return .drop(.valueBeforeSubscription)
    case .ended: return .drop(.valueAfterEnd)
    case .cancelled: return .drop(nil)
    case .open:
      guard demand > .none else { return .drop(.moreThanDemanded) }
      demand -= 1
      if isDelivering { waiting.append(value) }
      return begin()
    }
  }

  /// Records the end, unless there was one before.
  ///
  /// - Returns: The decision, and whether the downstream needs a subscription before the end.
  @inlinable mutating func admit(_ completion: Completion) -> (
    verdict: Verdict, lacksSubscription: Bool
  ) {
    switch phase {
    case .ended: return (.drop(.secondEnd), false)
    case .cancelled: return (.drop(nil), false)
    case .awaiting, .open:
      let lacksSubscription = phase == .awaiting
      phase = .ended
      end = completion
      return (begin(), lacksSubscription)
    }
  }

  /// Returns the next delivery, after the downstream has returned from a signal.
  @inlinable mutating func next(adding answer: Subscribers.Demand) -> Step {
    guard phase != .cancelled else { return .nothing(unsent: .none) }
    demand += answer
    unsent += answer
    if let value = waiting.popFirst() { return .value(value) }
    if let completion = end.take() {
      downstream = nil
      return .end(completion, releasing: upstream.take())
    }
    isDelivering = false
    return .nothing(unsent: takeUnsent())
  }

  @inlinable mutating func begin() -> Verdict {
    guard let downstream, !isDelivering else { return .wait }
    isDelivering = true
    return .deliver(downstream)
  }

  // MARK: Requests

  /// Adds demand of the downstream.
  ///
  /// - Returns: A request to make, or nil if another call will make it.
  @inlinable mutating func add(_ more: Subscribers.Demand) -> (
    UpstreamSubscription, Subscribers.Demand
  )? {
    guard phase == .open else { return nil }
    demand += more
    return send(more)
  }

  /// Begins a request for demand that is already added.
  @inlinable mutating func send(_ more: Subscribers.Demand) -> (
    UpstreamSubscription, Subscribers.Demand
  )? {
    unsent += more
    if isRequesting { return nil }
    return nextRequest()
  }

  /// Returns the next request to make, or nil if there is none.
  @inlinable mutating func nextRequest() -> (UpstreamSubscription, Subscribers.Demand)? {
    isRequesting = false
    // The delivering call returns the unsent demand to the upstream.
    guard phase == .open, !isDelivering, unsent > .none, let upstream else { return nil }
    isRequesting = true
    return (upstream, takeUnsent())
  }

  @inlinable mutating func takeUnsent() -> Subscribers.Demand {
    defer { unsent = .none }
    return unsent
  }

  // MARK: Cancel

  /// Ends the subscription.
  ///
  /// - Returns: The subscription to cancel, and the state to release.
  @inlinable mutating func cancel() -> (upstream: UpstreamSubscription?, released: Self)? {
    guard downstream != nil else { return nil }
    let before = self
    self = Self(cancelled: ())
    return (before.phase == .open ? before.upstream : nil, before)
  }

  @inlinable init(cancelled: Void) {
    phase = .cancelled
  }
}

/// A queue of values that wait for delivery.
@usableFromInline struct WaitingValues<Value: Sendable>: Sendable {
  @usableFromInline var incoming: [Value] = []
  /// The oldest values in reverse order, so that the first one is the last element.
  @usableFromInline var outgoing: [Value] = []

  @inlinable init() {}

  @inlinable mutating func append(_ value: Value) {
    incoming.append(value)
  }

  @inlinable mutating func popFirst() -> Value? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming = []
    }
    return outgoing.popLast()
  }
}
