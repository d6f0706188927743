import Synchronization

/// Runs one publisher after another, each made of a value that an earlier one gave.
@usableFromInline final class ExpandDriver<Child: Publisher, Downstream: Subscriber>: Sendable
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline struct State: Sendable {
    @usableFromInline var waiting = FIFO<Child.Output>()
    /// Whether a source runs.
    @usableFromInline var isBusy = true
    /// Released with the end and with a cancel.
    @usableFromInline var transform: (@Sendable (Child.Output) -> Child)?

    @inlinable init(transform: @escaping @Sendable (Child.Output) -> Child) {
      self.transform = transform
    }
  }

  @usableFromInline enum Next: Sendable {
    case nothing, finish
    case child(of: Child.Output, by: @Sendable (Child.Output) -> Child)
  }

  @usableFromInline let mark = LiveMark(.expandDriver)
  @usableFromInline let relay: SubscriptionRelay<Downstream>
  @usableFromInline let state: Lock<State>
  @usableFromInline let trampoline = Trampoline()

  @inlinable init(downstream: Downstream, transform: @escaping @Sendable (Child.Output) -> Child) {
    relay = SubscriptionRelay(downstream)
    state = Lock(State(transform: transform))
  }

  @inlinable func start<Upstream: Publisher>(_ upstream: Upstream, for downstream: Downstream)
  where Upstream.Output == Child.Output, Upstream.Failure == Child.Failure {
    downstream.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand):
          relay.request(demand)
          goOn()
        case .cancel:
          relay.cancel()
          forget()
        }
      })
    guard let source = relay.nextSource() else { return }
    upstream.receive(subscriber: ExpandSubscriber(driver: self, source: source))
  }

  /// Releases the closure, and the values that wait for their turn.
  @inlinable func forget() {
    let released = state.withLock { ($0.waiting.takeAll(), $0.transform.take()) }
    withExtendedLifetime(released) {}
  }

  /// Starts the next publisher if none runs and there is demand.
  @inlinable func goOn() {
    trampoline.run {
      let hasDemand = relay.unserved > .none
      let next: Next = state.withLock { state in
        guard !state.isBusy else { return .nothing }
        if state.waiting.isEmpty { return .finish }
        guard
          hasDemand, let transform = state.transform, let value = state.waiting.popFirst()
        else { return .nothing }
        state.isBusy = true
        return .child(of: value, by: transform)
      }
      switch next {
      case .nothing: break
      case .finish:
        forget()
        relay.finish(.finished)
      case .child(let value, let transform):
        let child = transform(value)
        guard let source = relay.nextSource() else { return }
        child.receive(subscriber: ExpandSubscriber(driver: self, source: source))
      }
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
    guard source.admitsValue else { return .none }
    driver.state.withLock { $0.waiting.append(input) }
    return source.send(input)
  }

  @inlinable func receive(completion: Subscribers.Completion<Child.Failure>) {
    guard source.end() else { return }
    switch completion {
    case .failure:
      driver.forget()
      driver.relay.finish(completion)
    case .finished:
      driver.state.withLock { $0.isBusy = false }
      driver.goOn()
    }
  }
}

extension SubscriptionRelay {
  /// The demand that no value has answered.
  @inlinable var unserved: Subscribers.Demand {
    let granted = Subscribers.Demand(count: self.granted.load(ordering: .relaxed))
    let received = Subscribers.Demand(count: self.received.load(ordering: .relaxed))
    return state.withLock { $0.requested } + granted - received
  }
}
