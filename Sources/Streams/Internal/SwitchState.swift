/// What a ``SwitchDriver`` keeps under its lock.
@usableFromInline
struct SwitchState<Downstream: Subscriber>: Sendable {
  @usableFromInline var downstream: Downstream?
  @usableFromInline var upstream: (any Subscription)?
  /// Which child is followed, or was last.
  @usableFromInline var turn = 0
  @usableFromInline var isChildRunning = false
  @usableFromInline var child: (any Subscription)?
  @usableFromInline var demand = Subscribers.Demand.none
  /// Values that wait for another delivery to end.
  @usableFromInline var waiting = FIFO<Downstream.Input>()
  @usableFromInline var isUpstreamFinished = false
  @usableFromInline var failure: Subscribers.Completion<Downstream.Failure>?
  @usableFromInline var isDelivering = false
  @usableFromInline var isCancelled = false

  @inlinable
  init(downstream: Downstream) {
    self.downstream = downstream
  }

  @inlinable var isOpen: Bool { downstream != nil && failure == nil }

  @inlinable
  func isCurrent(_ turn: Int) -> Bool {
    isOpen && isChildRunning && turn == self.turn
  }

  /// The rule that a signal breaks; none after a cancel or a failure, which cancel whoever runs.
  @inlinable
  func slip(_ rule: ContractViolation.Rule, if isBroken: Bool) -> ContractViolation.Rule? {
    !isCancelled && failure == nil && isBroken ? rule : nil
  }

  @inlinable
  mutating func nextStep(
    granted: Subscribers.Demand, holdsTurn: inout Bool
  ) -> SwitchStep<Downstream> {
    demand += granted
    guard holdsTurn || !isDelivering else { return .stop }
    holdsTurn = false
    isDelivering = false
    guard let downstream else { return .stop }
    if let failure {
      self.downstream = nil
      return .end(downstream, failure, waiting.takeAll())
    }
    if let value = waiting.popFirst() {
      demand -= 1
      isDelivering = true
      holdsTurn = true
      return .deliver(downstream, value)
    }
    guard isUpstreamFinished, !isChildRunning else { return .stop }
    self.downstream = nil
    return .end(downstream, .finished, FIFO())
  }

  /// Takes out everything that has to be cancelled.
  @inlinable
  mutating func takeSources() -> [any Subscription] {
    [upstream.take(), child.take()].compactMap { $0 }
  }
}

/// What a delivering thread does next.
@frozen
@usableFromInline
enum SwitchStep<Downstream: Subscriber>: Sendable {
  case stop
  case deliver(Downstream, Downstream.Input)
  /// End, then release what never came to be delivered.
  case end(Downstream, Subscribers.Completion<Downstream.Failure>, FIFO<Downstream.Input>)
}

/// Subscribes a publisher that is followed for a time.
@frozen
@usableFromInline
struct SwitchChild<Downstream: Subscriber>: Subscriber {
  @usableFromInline let driver: SwitchDriver<Downstream>
  @usableFromInline let turn: Int

  @inlinable
  init(driver: SwitchDriver<Downstream>, turn: Int) {
    self.driver = driver
    self.turn = turn
  }

  @inlinable
  func receive(subscription: any Subscription) {
    driver.admit(subscription, of: turn)
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    driver.receive(input, of: turn)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    driver.childEnded(completion, of: turn)
  }
}

/// Subscribes the upstream whose values become the publishers to follow.
@frozen
@usableFromInline
struct SwitchSubscriber<Input: Sendable, Child: Publisher, Downstream: Subscriber>: Subscriber
where Child.Output == Downstream.Input, Child.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let driver: SwitchDriver<Downstream>
  @usableFromInline let transform: @Sendable (Input) -> Child

  @inlinable
  init(
    driver: SwitchDriver<Downstream>, transform: @escaping @Sendable (Input) -> Child
  ) {
    self.driver = driver
    self.transform = transform
  }

  @inlinable
  func receive(subscription: any Subscription) {
    driver.admitUpstream(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if let turn = driver.beginChild() {
      transform(input).receive(subscriber: SwitchChild(driver: driver, turn: turn))
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    driver.upstreamEnded(completion)
  }
}
