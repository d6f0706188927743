import Synchronization

/// Takes signals on one context and delivers them on another.
@usableFromInline final class HopQueue<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline struct State: Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var waiting = FIFO<Downstream.Input>()
    @usableFromInline var end: Subscribers.Completion<Downstream.Failure>?
    @usableFromInline var isScheduled = false

    @inlinable init(downstream: Downstream) {
      self.downstream = downstream
    }
  }

  @usableFromInline struct Work: Sendable {
    @usableFromInline var values: FIFO<Downstream.Input>
    @usableFromInline let end: Subscribers.Completion<Downstream.Failure>?
    @usableFromInline let downstream: Downstream

    @inlinable init(
      values: FIFO<Downstream.Input>, end: Subscribers.Completion<Downstream.Failure>?,
      downstream: Downstream
    ) {
      self.values = values
      self.end = end
      self.downstream = downstream
    }
  }

  @usableFromInline let mark = LiveMark(.hopQueue)
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let trampoline = Trampoline()
  @usableFromInline let state: Lock<State>
  @usableFromInline let scheduler: any Scheduler

  @inlinable init(downstream: Downstream, scheduler: any Scheduler) {
    state = Lock(State(downstream: downstream))
    self.scheduler = scheduler
  }

  @inlinable func receive(subscription: any Subscription) {
    guard gate.admit(subscription, for: Self.self) else { return }
    state.withLock { $0.downstream }?.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand): gate.current?.request(demand)
        case .cancel: cancel()
        }
      })
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    guard gate.admitsValue(for: Self.self) else { return .none }
    enqueue { $0.waiting.append(input) }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if gate.finish(for: Self.self) { enqueue { $0.end = completion } }
  }

  @inlinable func enqueue(_ add: (inout State) -> Void) {
    let mustSchedule = state.withLock { state in
      guard state.downstream != nil else { return false }
      add(&state)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { scheduler.schedule { self.deliverBatch() } }
  }

  /// One job's share.
  ///
  /// A scheduler that runs jobs at once, or two at a time, finds the trampoline.
  @inlinable func deliverBatch() {
    trampoline.run(deliverWaiting)
  }

  @inlinable func deliverWaiting() {
    guard var work = takeWork() else { return }
    while let value = work.values.popFirst() {
      if gate.isCancelled { return }
      let more = work.downstream.receive(value)
      if more > .none { gate.current?.request(more) }
    }
    guard let end = work.end else { return scheduleNext() }
    if !gate.isCancelled { work.downstream.receive(completion: end) }
  }

  /// What waits, the end with it if it is there: nothing follows that.
  @inlinable func takeWork() -> Work? {
    state.withLock { state in
      guard let downstream = state.downstream else { return nil }
      let end = state.end.take()
      if end != nil { state.downstream = nil }
      return Work(values: state.waiting.takeAll(), end: end, downstream: downstream)
    }
  }

  /// Leaves room for others between two batches.
  @inlinable func scheduleNext() {
    let hasMore = state.withLock { state in
      state.isScheduled =
        state.downstream != nil && (!state.waiting.isEmpty || state.end != nil)
      return state.isScheduled
    }
    if hasMore { scheduler.schedule { self.deliverBatch() } }
  }

  @inlinable func cancel() {
    gate.cancel()
    let released = state.withLock { state in
      (state.downstream.take(), state.waiting.takeAll(), state.end.take())
    }
    withExtendedLifetime(released) {}
  }
}
