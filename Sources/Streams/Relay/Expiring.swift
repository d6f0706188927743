/// Fails where a publisher signals nothing within a time: what `race` with a timer does, without a
/// timer for a publisher that signals at once.
@frozen @usableFromInline package struct Expiring<Output: Sendable>: Publisher {
  @usableFromInline package typealias Failure = any Error

  @usableFromInline let upstream: AnyPublisher<Output, any Error>
  @usableFromInline let limit: Duration
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let makeError: @Sendable () -> any Error

  /// - Parameters:
  ///   - limit: How long the first signal may take.
  ///   - scheduler: What measures that, and where the failure arrives.
  ///   - makeError: Makes the failure.
  @inlinable package init(
    _ upstream: AnyPublisher<Output, any Error>, after limit: Duration, scheduler: any Scheduler,
    makeError: @escaping @Sendable () -> any Error
  ) {
    self.upstream = upstream
    self.limit = limit
    self.scheduler = scheduler
    self.makeError = makeError
  }

  @inlinable package func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let driver = ExpiryDriver()
    subscriber.receive(subscription: ClosureSubscription(driver))
    guard let turn = driver.relay.nextTurn() else { return }
    upstream.receive(
      subscriber: ExpirySubscriber(driver: driver, downstream: subscriber, turn: turn))
    driver.arm(for: limit, on: scheduler) {
      let end = Subscribers.Completion<any Error>.failure(makeError())
      guard driver.relay.endTurn(turn, hasEnded: false), driver.relay.finish(end) else { return }
      subscriber.receive(completion: end)
    }
  }
}

/// Lets the first signal or the clock win, whichever comes first.
@usableFromInline final class ExpiryDriver: SubscriptionDriver {
  private enum Winner: Sendable {
    case nobody, signal, clock
  }

  private struct State: Sendable {
    var winner = Winner.nobody
    var timer: (any Cancellable)?
  }

  @usableFromInline let mark = LiveMark(.expiryDriver)
  @usableFromInline let relay = RelayDriver(onEnd: nil)
  private let state = Lock(State())

  @usableFromInline init() {}

  @usableFromInline func request(_ demand: Subscribers.Demand) {
    relay.request(demand)
  }

  @usableFromInline func cancel() {
    _ = win(.signal)
    relay.cancel()
  }

  /// Takes note of a signal; false where the time was over before.
  @usableFromInline func admitsSignal() -> Bool { win(.signal) }

  private func win(_ winner: Winner) -> Bool {
    let (hasWon, timer) = state.withLock { state in
      if state.winner == .nobody { state.winner = winner }
      return (state.winner == winner, state.timer.take())
    }
    timer?.cancel()
    return hasWon
  }

  @usableFromInline func arm(
    for limit: Duration, on scheduler: any Scheduler, expire: @escaping @Sendable () -> Void
  ) {
    guard state.withLock({ $0.winner == .nobody }) else { return }
    let timer = scheduler.schedule(after: limit) { [self] in
      if win(.clock) { expire() }
    }
    let isLate = state.withLock { state in
      guard state.winner == .nobody else { return true }
      state.timer = timer
      return false
    }
    if isLate { timer.cancel() }
  }
}

@frozen @usableFromInline struct ExpirySubscriber<Downstream: Subscriber>: Subscriber
where Downstream.Failure == any Error {
  @usableFromInline let driver: ExpiryDriver
  @usableFromInline let downstream: Downstream
  @usableFromInline let turn: Int

  @inlinable init(driver: ExpiryDriver, downstream: Downstream, turn: Int) {
    self.driver = driver
    self.downstream = downstream
    self.turn = turn
  }

  @inlinable var context: SubscriptionContext { downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    driver.relay.admit(subscription, of: turn)
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    guard driver.admitsSignal(), driver.relay.admitsValue(of: turn) else { return .none }
    return downstream.receive(input)
  }

  @inlinable func receive(completion: Subscribers.Completion<any Error>) {
    if driver.admitsSignal(), driver.relay.endTurn(turn, hasEnded: true),
      driver.relay.finish(completion)
    {
      downstream.receive(completion: completion)
    }
  }
}
