import Synchronization

/// A driver that runs one publisher after another, each made from a value of an earlier one.
@usableFromInline final class ExpandDriver<Child: Publisher, Downstream: Subscriber>: Sendable
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  /// The closure that makes the next publisher, and the relay for its values.
  @usableFromInline struct Work: Sendable {
    @usableFromInline let relay: SubscriptionRelay<Downstream>
    @usableFromInline let transform: @Sendable (Child.Output) -> Child

    @inlinable init(
      relay: SubscriptionRelay<Downstream>, transform: @escaping @Sendable (Child.Output) -> Child
    ) {
      self.relay = relay
      self.transform = transform
    }
  }

  @usableFromInline struct State: Sendable {
    @usableFromInline var waiting = FIFO<Child.Output>()
    /// Whether a source runs, or one is being made.
    @usableFromInline var isBusy = true
    /// The publisher that is next, and waits for demand.
    @usableFromInline var next: Child?
    /// Released at the end and by a cancel.
    @usableFromInline var work: Work?

    @inlinable init(work: Work) {
      self.work = work
    }

    /// Takes the next step out.
    @inlinable mutating func takeStep(hasDemand: Bool) -> Step {
      guard !isBusy, let work else { return .nothing }
      if next != nil {
        guard hasDemand, let child = next.take() else { return .nothing }
        isBusy = true
        return .start(child, work)
      }
      guard let value = waiting.popFirst() else { return .finish(work) }
      isBusy = true
      return .make(value, work)
    }
  }

  @usableFromInline enum Step: Sendable {
    case nothing
    case finish(Work)
    case make(Child.Output, Work)
    case start(Child, Work)
  }

  @usableFromInline let mark = LeakMark("expandDriver")
  @usableFromInline let account: RelayDriver
  @usableFromInline let state: Lock<State>

  @inlinable init(
    relay: SubscriptionRelay<Downstream>, transform: @escaping @Sendable (Child.Output) -> Child
  ) {
    account = relay.driver
    state = Lock(State(work: Work(relay: relay, transform: transform)))
  }

  @inlinable static func start<Upstream: Publisher>(
    _ upstream: Upstream, for downstream: Downstream,
    transform: @escaping @Sendable (Child.Output) -> Child
  ) where Upstream.Output == Child.Output, Upstream.Failure == Child.Failure {
    let relay = SubscriptionRelay(downstream)
    let driver = ExpandDriver(relay: relay, transform: transform)
    downstream.receive(
      subscription: ClosureSubscription { command in
        switch command {
        case .request(let demand):
          driver.account.request(demand)
          driver.goOn()
        case .cancel:
          driver.account.cancel()
          driver.forget()
        }
      })
    guard let source = relay.nextSource() else { return }
    upstream.receive(subscriber: ExpandSubscriber(driver: driver, source: source))
  }

  /// Releases the closure, the downstream, and what waits for its turn.
  @inlinable func forget() {
    let released = state.withLock { ($0.waiting.takeAll(), $0.next.take(), $0.work.take()) }
    withExtendedLifetime(released) {}
  }

  /// Makes the next publisher if none runs, and starts it if there is demand.
  ///
  /// It is made without demand, because it may be one that only ends. Then nothing waits for a
  /// request that might never come.
  @inlinable func goOn() {
    account.trampoline.run {
      // A source that runs uses up demand. The demand is therefore read after the source has ended,
      // and only this loop starts the next one.
      guard state.withLock({ !$0.isBusy }) else { return }
      let hasDemand = account.unserved > .none
      switch state.withLock({ $0.takeStep(hasDemand: hasDemand) }) {
      case .nothing: break
      case .finish(let work):
        forget()
        work.relay.finish(.finished)
      case .make(let value, let work):
        let child = work.transform(value)
        if hasDemand || (child as? any BarePublisher)?.endsAtOnce == true {
          start(child, by: work)
        } else {
          park(child)
        }
      case .start(let child, let work): start(child, by: work)
      }
    }
  }

  @inlinable func start(_ child: Child, by work: Work) {
    guard let source = work.relay.nextSource() else { return }
    child.receive(subscriber: ExpandSubscriber(driver: self, source: source))
  }

  /// Keeps a publisher until there is demand.
  ///
  /// A request that came meanwhile has left another turn of the loop.
  @inlinable func park(_ child: Child) {
    state.withLock { state in
      // Cancelled meanwhile.
      guard state.work != nil else { return }
      state.isBusy = false
      state.next = child
    }
  }
}

@frozen @usableFromInline
struct ExpandSubscriber<Child: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline let driver: ExpandDriver<Child, Downstream>
  @usableFromInline let source: RelaySource<Downstream>

  @inlinable init(driver: ExpandDriver<Child, Downstream>, source: RelaySource<Downstream>) {
    self.driver = driver
    self.source = source
  }

  @inlinable var context: SubscriptionContext { source.downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    source.admit(subscription)
  }

  @inlinable func receive(_ input: Child.Output) -> Subscribers.Demand {
    guard source.turn.admitsValue else { return .none }
    driver.state.withLock { $0.waiting.append(input) }
    return source.send(input)
  }

  @inlinable func receive(completion: Subscribers.Completion<Child.Failure>) {
    guard source.end() else { return }
    switch completion {
    case .failure:
      driver.forget()
      source.relay.finish(completion)
    case .finished:
      driver.state.withLock { $0.isBusy = false }
      driver.goOn()
    }
  }
}
