/// A relay of several sources, one after another, behind one downstream, for `append`, `catch` and
/// `retry`.
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

  /// Begins the turn of the next source, or returns nil if the stream is over.
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

  /// Records the source's subscription, and requests the unserved demand from it.
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
  /// - Returns: Whether it was the source's turn. It is false for a second end and after a cancel.
  @inlinable func end() -> Bool { turn.end() }

  /// Ends this source's turn before the source's own end, and cancels the source.
  ///
  /// - Returns: Whether it was the source's turn, and the source's cancel did not cancel the
  ///   stream.
  @inlinable func abort() -> Bool { turn.abort() }
}

/// A subscriber that puts a source's values into the stream.
///
/// A closure handles the source's end.
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
  /// Subscribes to the next source, unless the stream is over.
  ///
  /// - Parameter onEnd: A closure that handles the source's end.
  @inlinable func follow<Source: Publisher>(
    _ publisher: Source,
    onEnd: @escaping @Sendable (Subscribers.Completion<Source.Failure>) -> Void
  ) where Source.Output == Downstream.Input {
    guard let source = nextSource() else { return }
    publisher.receive(subscriber: RelaySubscriber(source: source, onEnd: onEnd))
  }

  /// Subscribes to the last source, whose end is the end of the stream.
  @inlinable func followLast<Source: Publisher>(
    _ publisher: Source,
    mapFailure: @escaping @Sendable (Source.Failure) -> Downstream.Failure
  ) where Source.Output == Downstream.Input {
    follow(publisher) { self.finish($0.mapFailure(mapFailure)) }
  }
}
