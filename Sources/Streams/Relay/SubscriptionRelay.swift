import Synchronization

/// One source after another behind one downstream: what `catch`, `retry` and `retryOn` share.
///
/// It keeps the account of demand, so that a new source is asked for just what the old one left
/// unserved, and it honors a cancel in every state: while a source runs, between two, and before
/// the first. A value takes no lock: the counters are written on the delivering context only.
@usableFromInline final class SubscriptionRelay<Downstream: Subscriber>: SubscriptionDriver {
  @usableFromInline struct State: Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var current: (any Subscription)?
    @usableFromInline var requested = Subscribers.Demand.none

    @inlinable init(downstream: Downstream) {
      self.downstream = downstream
    }
  }

  @usableFromInline let mark = LiveMark(.subscriptionRelay)
  @usableFromInline let state: Lock<State>
  @usableFromInline let turns = RelayTurns()
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  @usableFromInline let received = Atomic<Int>(0)
  @usableFromInline let granted = Atomic<Int>(0)

  @inlinable init(_ downstream: Downstream) {
    state = Lock(State(downstream: downstream))
  }

  /// Hands the downstream its one subscription.
  @inlinable static func start(for downstream: Downstream) -> SubscriptionRelay {
    let relay = SubscriptionRelay(downstream)
    downstream.receive(subscription: ClosureSubscription(relay))
    return relay
  }

  /// Puts the next source in charge; nil when there is nobody left to serve.
  @inlinable func nextSource() -> RelaySource<Downstream>? {
    state.withLock { state in
      guard let downstream = state.downstream else { return nil }
      return RelaySource(relay: self, downstream: downstream, turn: turns.begin())
    }
  }

  @inlinable func request(_ demand: Subscribers.Demand) {
    let current = state.withLock { state in
      state.requested += demand
      return state.current
    }
    current?.request(demand)
  }

  @inlinable func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    let released = close()
    released.current?.cancel()
  }

  /// Sends the end, unless a cancel came first.
  @inlinable func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    close().downstream?.receive(completion: completion)
  }

  @inlinable func close() -> (downstream: Downstream?, current: (any Subscription)?) {
    state.withLock { state in
      turns.endCurrent()
      return (state.downstream.take(), state.current.take())
    }
  }
}

/// A source's turn at a relay.
@frozen @usableFromInline struct RelaySource<Downstream: Subscriber>: Sendable {
  @usableFromInline let relay: SubscriptionRelay<Downstream>
  @usableFromInline let downstream: Downstream
  @usableFromInline let turn: Int

  @inlinable init(relay: SubscriptionRelay<Downstream>, downstream: Downstream, turn: Int) {
    self.relay = relay
    self.downstream = downstream
    self.turn = turn
  }

  /// Takes in the source's subscription and asks it for what is still unserved.
  @inlinable func admit(_ subscription: any Subscription) {
    let demand: Subscribers.Demand? = relay.state.withLock { state in
      guard relay.turns.open(turn) else { return nil }
      state.current = subscription
      let granted = Subscribers.Demand(count: relay.granted.load(ordering: .relaxed))
      let received = Subscribers.Demand(count: relay.received.load(ordering: .relaxed))
      return state.requested + granted - received
    }
    guard let demand else {
      reportSlip(.secondSubscription)
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
  }

  /// Whether a value may pass; if not, says that it was dropped, unless a cancel explains it.
  @inlinable var admitsValue: Bool {
    if relay.turns.isOpen(turn) { return true }
    reportSlip(relay.turns.slip(ofValueIn: turn))
    return false
  }

  /// Passes a value on.
  @inlinable func send(_ input: Downstream.Input) -> Subscribers.Demand {
    guard admitsValue else { return .none }
    relay.received.store(relay.received.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    let more = downstream.receive(input)
    let granted = Subscribers.Demand(count: relay.granted.load(ordering: .relaxed)) + more
    relay.granted.store(granted.count, ordering: .relaxed)
    return more
  }

  /// Ends this source's turn.
  ///
  /// - Returns: Whether the source was in charge: false for the second end of a source that
  ///   misbehaves, and after a cancel.
  @inlinable func end() -> Bool {
    let (wasInCharge, released) = relay.state.withLock { state in
      guard relay.turns.end(turn) else { return (false, nil as (any Subscription)?) }
      return (true, state.current.take())
    }
    withExtendedLifetime(released) {}
    if !wasInCharge { reportSlip(.secondEnd) }
    return wasInCharge
  }

  /// Ends this source's turn before its own end, and cancels it.
  ///
  /// - Returns: Whether the source was in charge, and its own cancel did not cancel the stream.
  @inlinable func abort() -> Bool {
    let (wasInCharge, current) = relay.state.withLock { state in
      guard relay.turns.end(turn) else { return (false, nil as (any Subscription)?) }
      return (true, state.current.take())
    }
    current?.cancel()
    return wasInCharge && !relay.isCancelled.load(ordering: .relaxed)
  }

  /// Says that a signal was dropped, unless a cancel explains it.
  @usableFromInline func reportSlip(_ rule: ContractViolation.Rule) {
    if !relay.isCancelled.load(ordering: .relaxed) {
      ContractViolation.report(rule, by: Self.self)
    }
  }
}

/// Puts a source's values into the stream; what follows its end is a closure's affair.
@frozen @usableFromInline
struct RelaySubscriber<Downstream: Subscriber, Failure: Error>: Subscriber {
  @usableFromInline let source: RelaySource<Downstream>
  @usableFromInline let onEnd: @Sendable (Subscribers.Completion<Failure>) -> Void

  @inlinable init(
    source: RelaySource<Downstream>,
    onEnd: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
  ) {
    self.source = source
    self.onEnd = onEnd
  }

  @inlinable var context: SubscriptionContext { source.downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    source.admit(subscription)
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    source.send(input)
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    if source.end() { onEnd(completion) }
  }
}

extension SubscriptionRelay {
  /// Subscribes the next source, unless the stream is over.
  ///
  /// - Parameter onEnd: Says what follows its end.
  @inlinable func follow<Source: Publisher>(
    _ publisher: Source,
    onEnd: @escaping @Sendable (Subscribers.Completion<Source.Failure>) -> Void
  ) where Source.Output == Downstream.Input {
    guard let source = nextSource() else { return }
    publisher.receive(subscriber: RelaySubscriber(source: source, onEnd: onEnd))
  }

  /// Subscribes the last source, whose end is the stream's.
  @inlinable func followLast<Source: Publisher>(
    _ publisher: Source,
    mapFailure: @escaping @Sendable (Source.Failure) -> Downstream.Failure
  ) where Source.Output == Downstream.Input {
    follow(publisher) { self.finish($0.mapFailure(mapFailure)) }
  }
}
