import Streams

/// What a `ContractSubscriber` knows of a subscription, and what it may do next.
///
/// Nothing in here calls anybody, so that it can be kept under a lock; what is to be released is
/// handed out.
@usableFromInline struct ContractState<Downstream: Streams.Subscriber>: Sendable {
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline enum Phase: Sendable {
    case awaiting, open, ended, cancelled
  }

  /// What becomes of a signal.
  @usableFromInline enum Verdict: Sendable {
    case deliver(Downstream)
    /// Somebody delivers already and will come to it.
    case wait
    /// The rule that it breaks; nil where a cancel explains it.
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
  /// How many values the downstream still waits for.
  @usableFromInline var demand = Subscribers.Demand.none
  /// How many of these the upstream has not been asked for.
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

  /// Takes in the end, unless there was one.
  ///
  /// - Returns: Among others, whether the downstream has to be given a subscription before it.
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

  /// What to deliver after a signal that the downstream has answered.
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

  /// Counts what the downstream asks for.
  ///
  /// - Returns: A request to make, unless somebody is there who will see to it.
  @inlinable mutating func add(_ more: Subscribers.Demand) -> (
    UpstreamSubscription, Subscribers.Demand
  )? {
    guard phase == .open else { return nil }
    demand += more
    return send(more)
  }

  /// Begins a request for what is counted already.
  @inlinable mutating func send(_ more: Subscribers.Demand) -> (
    UpstreamSubscription, Subscribers.Demand
  )? {
    unsent += more
    if isRequesting { return nil }
    return nextRequest()
  }

  /// The next request to make, where there is one.
  @inlinable mutating func nextRequest() -> (UpstreamSubscription, Subscribers.Demand)? {
    isRequesting = false
    // Who delivers returns what is unsent to the upstream.
    guard phase == .open, !isDelivering, unsent > .none, let upstream else { return nil }
    isRequesting = true
    return (upstream, takeUnsent())
  }

  @inlinable mutating func takeUnsent() -> Subscribers.Demand {
    defer { unsent = .none }
    return unsent
  }

  // MARK: Cancel

  /// Ends it all.
  ///
  /// - Returns: What to cancel, and all that is to be released.
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

/// Values that wait, in the order in which they came.
@usableFromInline struct WaitingValues<Value: Sendable>: Sendable {
  @usableFromInline var incoming: [Value] = []
  /// The first at the end.
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
