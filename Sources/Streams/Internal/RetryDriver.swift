import Synchronization

/// Subscribes a publisher again and again, with a chained publisher in between where there is one.
///
/// Attempts are steps of a loop, not calls in calls: a failure that arrives while a step is still
/// running only says that there is one more step to take. So any number of attempts that fail
/// synchronously needs the stack of one (contract C-5).
@usableFromInline
final class RetryDriver<Upstream: Publisher, Chained: Publisher, Downstream: Subscriber>: Sendable
where
  Chained.Failure == Upstream.Failure, Downstream.Input == Upstream.Output,
  Downstream.Failure == Upstream.Failure
{
  @usableFromInline let mark = LiveMark(.retryDriver)
  @usableFromInline let upstream: Upstream
  @usableFromInline let chained: Chained?
  @usableFromInline let isRetryable: @Sendable (Upstream.Failure) -> Bool
  @usableFromInline let relay: SubscriptionRelay<Downstream>
  @usableFromInline let remaining: Atomic<Int>
  @usableFromInline let isChainedNext = Atomic<Bool>(false)
  @usableFromInline let trampoline = Trampoline()

  @inlinable
  init(
    upstream: Upstream, chained: Chained?, retries: Int, relay: SubscriptionRelay<Downstream>,
    isRetryable: @escaping @Sendable (Upstream.Failure) -> Bool
  ) {
    self.upstream = upstream
    self.chained = chained
    self.isRetryable = isRetryable
    self.relay = relay
    remaining = Atomic(retries)
  }

  @inlinable
  func step() {
    trampoline.run {
      guard let source = relay.nextSource() else { return }
      if let chained, isChainedNext.load(ordering: .relaxed) {
        chained.receive(subscriber: ChainedStep(driver: self, source: source))
      } else {
        upstream.receive(subscriber: Attempt(driver: self, source: source))
      }
    }
  }

  @inlinable
  func attemptFailed(_ error: Upstream.Failure) {
    let remaining = self.remaining.load(ordering: .relaxed)
    guard remaining > 0, isRetryable(error) else {
      relay.finish(.failure(error))
      return
    }
    self.remaining.store(remaining - 1, ordering: .relaxed)
    isChainedNext.store(chained != nil, ordering: .relaxed)
    step()
  }

  @frozen
  @usableFromInline
  struct Attempt: Subscriber {
    @usableFromInline let driver: RetryDriver
    @usableFromInline let source: RelaySource<Downstream>

    @inlinable
    init(driver: RetryDriver, source: RelaySource<Downstream>) {
      self.driver = driver
      self.source = source
    }

    @inlinable
    func receive(subscription: any Subscription) {
      source.admit(subscription)
    }

    @inlinable
    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
      source.send(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
      guard source.end() else { return }
      switch completion {
      case .finished: driver.relay.finish(.finished)
      case .failure(let error): driver.attemptFailed(error)
      }
    }
  }

  /// Waits for the chained publisher's end, whatever it emits.
  @frozen
  @usableFromInline
  struct ChainedStep: Subscriber {
    @usableFromInline let driver: RetryDriver
    @usableFromInline let source: RelaySource<Downstream>

    @inlinable
    init(driver: RetryDriver, source: RelaySource<Downstream>) {
      self.driver = driver
      self.source = source
    }

    @inlinable
    func receive(subscription: any Subscription) {
      source.admit(subscription, requesting: .unlimited)
    }

    @inlinable
    func receive(_ input: Chained.Output) -> Subscribers.Demand { .none }

    @inlinable
    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
      guard source.end() else { return }
      switch completion {
      case .finished:
        driver.isChainedNext.store(false, ordering: .relaxed)
        driver.step()
      case .failure(let error):
        driver.relay.finish(.failure(error))
      }
    }
  }
}
