/// Feeds an outbox from an upstream.
@frozen
@usableFromInline
struct OutboxSubscriber<Machine: OutletStage, Downstream: Subscriber>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input
  @usableFromInline typealias Failure = Machine.Failure

  @usableFromInline let outbox: Outbox<Machine, Downstream>

  @inlinable
  init(_ stage: Machine, downstream: Downstream, scheduler: (any Scheduler)?) {
    outbox = Outbox(stage, downstream: downstream, scheduler: scheduler)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard outbox.gate.admit(subscription, for: Self.self) else { return }
    let request = outbox.state.withLock { $0.stage?.initialRequest } ?? .none
    outbox.start()
    if request > .none { outbox.gate.current?.request(request) }
  }

  @inlinable
  func receive(_ input: Machine.Input) -> Subscribers.Demand {
    guard outbox.gate.isOpen else {
      outbox.gate.reportStrayValue(for: Self.self)
      return .none
    }
    let now = outbox.now
    outbox.update { stage, outlet in stage.receive(input, at: now, outlet: &outlet) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Machine.Failure>) {
    guard outbox.gate.finish(for: Self.self) else { return }
    let now = outbox.now
    outbox.update { stage, outlet in
      stage.receive(completion: completion, at: now, outlet: &outlet)
    }
  }
}
