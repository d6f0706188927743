/// One source after another behind one downstream: what `append`, `catch` and `retry` share.
@frozen @usableFromInline struct SubscriptionRelay<Downstream: Subscriber>: Sendable {
  @usableFromInline let driver: RelayDriver
  @usableFromInline let downstream: Downstream

  @inlinable init(_ downstream: Downstream, onEnd: RelayEndHandler? = nil) {
    driver = RelayDriver(onEnd: onEnd)
    self.downstream = downstream
  }

  /// Hands the downstream its one subscription.
  @inlinable static func start(
    for downstream: Downstream, onEnd: RelayEndHandler? = nil
  ) -> SubscriptionRelay {
    let relay = SubscriptionRelay(downstream, onEnd: onEnd)
    downstream.receive(subscription: ClosureSubscription(relay.driver))
    return relay
  }

  /// Puts the next source in charge; nil when there is nobody left to serve.
  @inlinable func nextSource() -> RelaySource<Downstream>? {
    driver.nextTurn().map { RelaySource(relay: self, turn: $0) }
  }

  /// Sends the end, unless a cancel came first.
  @inlinable func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    if driver.finish() { downstream.receive(completion: completion) }
  }
}

/// A source's turn at a relay.
@frozen @usableFromInline struct RelaySource<Downstream: Subscriber>: Sendable {
  @usableFromInline let relay: SubscriptionRelay<Downstream>
  @usableFromInline let turn: Int

  @inlinable init(relay: SubscriptionRelay<Downstream>, turn: Int) {
    self.relay = relay
    self.turn = turn
  }

  @inlinable var downstream: Downstream { relay.downstream }

  /// Takes in the source's subscription and asks it for what is still unserved.
  @inlinable func admit(_ subscription: any Subscription) {
    guard let demand = relay.driver.admit(subscription, of: turn) else {
      reportSlip(.secondSubscription)
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
  }

  /// Whether a value may pass; if not, says that it was dropped, unless a cancel explains it.
  @inlinable var admitsValue: Bool {
    if relay.driver.turns.isOpen(turn) { return true }
    reportSlip(relay.driver.turns.slip(ofValueIn: turn))
    return false
  }

  /// Passes a value on.
  @inlinable func send(_ input: Downstream.Input) -> Subscribers.Demand {
    guard admitsValue else { return .none }
    relay.driver.noteValue()
    let more = downstream.receive(input)
    relay.driver.noteGrant(more)
    return more
  }

  /// Ends this source's turn.
  ///
  /// - Returns: Whether the source was in charge: false for the second end of a source that
  ///   misbehaves, and after a cancel.
  @inlinable func end() -> Bool {
    let wasInCharge = relay.driver.end(turn)
    if !wasInCharge { reportSlip(.secondEnd) }
    return wasInCharge
  }

  /// Ends this source's turn before its own end, and cancels it.
  ///
  /// - Returns: Whether the source was in charge, and its own cancel did not cancel the stream.
  @inlinable func abort() -> Bool { relay.driver.abort(turn) }

  /// Says that a signal was dropped, unless a cancel explains it.
  @usableFromInline func reportSlip(_ rule: ContractViolation.Rule) {
    if !relay.driver.isCancelled { ContractViolation.report(rule, by: Self.self) }
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
