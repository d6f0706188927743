/// A publisher that fails if its upstream signals nothing within a time.
///
/// It works like `race` with a timer, but sets no timer if the upstream signals at once.
@frozen @usableFromInline package struct Expiring<Output: Sendable>: Publisher {
  @usableFromInline package typealias Failure = any Error

  @usableFromInline let upstream: AnyPublisher<Output, any Error>
  @usableFromInline let limit: Duration
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let isExempt: @Sendable () -> Bool
  @usableFromInline let makeError: @Sendable () -> any Error

  /// - Parameters:
  ///   - limit: The maximum time until the first signal.
  ///   - scheduler: The scheduler that measures the time and delivers the failure.
  ///   - isExempt: A closure that returns, when the time is over, whether the upstream may take
  ///     longer nevertheless.
  ///   - makeError: A closure that makes the failure.
  @inlinable package init(
    _ upstream: AnyPublisher<Output, any Error>, after limit: Duration, scheduler: any Scheduler,
    unless isExempt: @escaping @Sendable () -> Bool = { false },
    makeError: @escaping @Sendable () -> any Error
  ) {
    self.upstream = upstream
    self.limit = limit
    self.scheduler = scheduler
    self.isExempt = isExempt
    self.makeError = makeError
  }

  @inlinable package func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let relay = SubscriptionRelay(subscriber)
    let race = ExpiryRace(within: relay.driver)
    subscriber.receive(subscription: ClosureSubscription(race))
    guard let source = relay.nextSource() else { return }
    upstream.receive(subscriber: ExpirySubscriber(race: race, source: source))
    race.arm(for: limit, on: scheduler, unless: isExempt) {
      if source.abort() { relay.finish(.failure(makeError())) }
    }
  }
}

/// A race between the first signal and the clock.
@usableFromInline final class ExpiryRace: SubscriptionDriver {
  private enum Winner: Sendable {
    case nobody, signal, clock
  }

  private struct State: Sendable {
    var winner = Winner.nobody
    var timer: (any Cancellable)?
  }

  @usableFromInline let mark = LeakMark("expiryRace")
  private let state = Lock(State())
  private let relay: RelayDriver

  @usableFromInline init(within relay: RelayDriver) {
    self.relay = relay
  }

  @usableFromInline func request(_ demand: Subscribers.Demand) {
    relay.request(demand)
  }

  @usableFromInline func cancel() {
    _ = admitsSignal()
    relay.cancel()
  }

  /// Records a signal, and returns false if the time was over before.
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
    for limit: Duration, on scheduler: any Scheduler,
    unless isExempt: @escaping @Sendable () -> Bool,
    expire: @escaping @Sendable () -> Void
  ) {
    guard state.withLock({ $0.winner == .nobody }) else { return }
    let timer = scheduler.schedule(after: limit) { [self] in
      if !isExempt(), win(.clock) { expire() }
    }
    let isLate = state.withLock { state in
      guard state.winner == .nobody else { return true }
      state.timer = timer
      return false
    }
    if isLate { timer.cancel() }
  }
}

@frozen @usableFromInline struct ExpirySubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline let race: ExpiryRace
  @usableFromInline let source: RelaySource<Downstream>

  @inlinable init(race: ExpiryRace, source: RelaySource<Downstream>) {
    self.race = race
    self.source = source
  }

  @inlinable var context: SubscriptionContext { source.downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    source.admit(subscription)
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    race.admitsSignal() ? source.send(input) : .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if race.admitsSignal(), source.end() { source.relay.finish(completion) }
  }
}
