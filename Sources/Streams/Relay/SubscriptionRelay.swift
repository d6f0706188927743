/// One source after another behind one downstream: what `append`, `catch` and `retry` share.
@frozen @usableFromInline struct SubscriptionRelay<Downstream: Subscriber>: Sendable {
  @usableFromInline let driver: RelayDriver
  @usableFromInline let downstream: Downstream

  @inlinable init(_ downstream: Downstream, onEnd: RelayEndHandler? = nil) {
    self.init(downstream, driver: RelayDriver(onEnd: onEnd))
  }

  @inlinable init(_ downstream: Downstream, driver: RelayDriver) {
    self.driver = driver
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
    driver.nextTurn().map { RelaySource(relay: self, number: $0) }
  }

  /// Sends the end, unless a cancel came first.
  @inlinable func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    if driver.finish() { downstream.receive(completion: completion) }
  }
}

/// A source's turn at a relay.
@frozen @usableFromInline struct RelaySource<Downstream: Subscriber>: Sendable {
  @usableFromInline let relay: SubscriptionRelay<Downstream>
  @usableFromInline let number: Int

  @inlinable init(relay: SubscriptionRelay<Downstream>, number: Int) {
    self.relay = relay
    self.number = number
  }

  @inlinable var downstream: Downstream { relay.downstream }

  @inlinable var turn: RelayTurn { RelayTurn(driver: relay.driver, number: number) }

  /// Takes in the source's subscription and asks it for what is still unserved.
  @inlinable func admit(_ subscription: any Subscription) { turn.admit(subscription) }

  /// Passes a value on.
  @inlinable func send(_ input: Downstream.Input) -> Subscribers.Demand {
    guard turn.admitsValue else { return .none }
    relay.driver.noteValue()
    let more = downstream.receive(input)
    relay.driver.noteGrant(more)
    return more
  }

  /// Ends this source's turn.
  ///
  /// - Returns: Whether the source was in charge: false for the second end of a source that
  ///   misbehaves, and after a cancel.
  @inlinable func end() -> Bool { turn.end() }

  /// Ends this source's turn before its own end, and cancels it.
  ///
  /// - Returns: Whether the source was in charge, and its own cancel did not cancel the stream.
  @inlinable func abort() -> Bool { turn.abort() }
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
