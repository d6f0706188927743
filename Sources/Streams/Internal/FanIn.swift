/// Brings several upstreams together: what `merge`, `zip`, `combineLatest` and `withLatestFrom`
/// share; they differ in their slots.
///
/// All state is under one lock, and whoever finds nobody delivering delivers: a row goes straight
/// through if there is demand for it, and waits otherwise. An upstream is asked for everything once
/// the downstream's demand is unlimited, and for one value at a time before, when the slots have
/// room for it, so that not more than one value of each waits.
@usableFromInline
final class FanIn<Slots: FanInSlots, Downstream: Subscriber>: Sendable {
  @usableFromInline typealias State = FanInState<Slots, Downstream>

  @usableFromInline let mark = LiveMark(.fanIn)
  @usableFromInline let state: Lock<State>
  @usableFromInline let output: @Sendable (Slots.Row) -> Downstream.Input

  /// Hands the downstream its subscription; attach the upstreams next, then start.
  @inlinable
  init(for downstream: Downstream, output: @escaping @Sendable (Slots.Row) -> Downstream.Input) {
    state = Lock(State(downstream: downstream))
    self.output = output
    downstream.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand): request(demand)
        case .cancel: cancel()
        }
      })
  }

  // MARK: Downstream

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.add(demand) }
    _ = proceed(granted: .none, holdsTurn: false, own: nil)
  }

  @inlinable
  func cancel() {
    let (sources, released) = state.withLock { state in
      state.isCancelled = true
      return (state.takeSources(), (state.downstream.take(), state.takeValues()))
    }
    for source in sources { source.cancel() }
    withExtendedLifetime(released) {}
  }

  // MARK: Upstreams

  /// Subscribes the next upstream, unless it is all over.
  ///
  /// - Parameter put: Puts a value into its slot, under the lock; returns what has to be released.
  @inlinable
  func attach<Upstream: Publisher>(
    _ upstream: Upstream,
    _ put: @escaping @Sendable (inout Slots, Upstream.Output) -> Upstream.Output?
  ) where Upstream.Failure == Downstream.Failure {
    let index: Int? = state.withLock { state in
      guard state.isOpen else { return nil }
      state.inputs.append(FanInInput())
      return state.inputs.count - 1
    }
    guard let index else { return }
    upstream.receive(subscriber: FanInPort(fanIn: self, index: index, put: put))
  }

  /// Lets values flow, once all upstreams are attached.
  @inlinable
  func start() {
    let unbounded = state.withLock { state in
      state.isStarted = true
      state.isOver = state.slots.isOver(state.inputs, finished: state.finished)
      return state.inputs.indices.compactMap {
        Slots.isUnbounded($0) ? state.inputs[$0].subscription : nil
      }
    }
    for subscription in unbounded { subscription.request(.unlimited) }
    _ = proceed(granted: .none, holdsTurn: false, own: nil)
  }

  @inlinable
  func admit(_ subscription: any Subscription, from index: Int) {
    let (isAdmitted, demand, slip) = state.withLock { state in
      guard state.isOpen, state.inputs[index].phase == .awaiting else {
        return (
          false, Subscribers.Demand.none,
          state.slip(.secondSubscription, of: index, in: .open)
        )
      }
      state.inputs[index].phase = .open
      state.inputs[index].subscription = subscription
      if state.isStarted, Slots.isUnbounded(index) || state.demand == .unlimited {
        return (true, Subscribers.Demand.unlimited, nil)
      }
      if !Slots.isUnbounded(index) { state.idle.append(index) }
      return (true, Subscribers.Demand.none, nil)
    }
    guard isAdmitted else {
      report(slip)
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
    _ = proceed(granted: .none, holdsTurn: false, own: nil)
  }

  @inlinable
  func receive<Value: Sendable>(
    _ value: Value, from index: Int, put: (inout Slots, Value) -> Value?
  ) -> Subscribers.Demand {
    let (arrival, released): (FanInArrival<Slots.Row, Downstream>, Value?) = state.withLock {
      state in
      guard state.isOpen, state.inputs[index].phase == .open else {
        return (
          .drop(
            state.slip(.valueAfterEnd, of: index, in: .finished)
              ?? state.slip(.valueBeforeSubscription, of: index, in: .awaiting)), nil
        )
      }
      let isLimited = state.demand != .unlimited && !Slots.isUnbounded(index)
      if isLimited {
        guard state.inputs[index].isAsked else { return (.drop(.moreThanDemanded), nil) }
        state.inputs[index].isAsked = false
        state.idle.append(index)
      }
      let released = put(&state.slots, value)
      guard let row = state.takeRowToDeliver(), let downstream = state.downstream else {
        return (.keep(mayAsk: isLimited), released)
      }
      return (.deliver(downstream, row), released)
    }
    withExtendedLifetime(released) {}
    switch arrival {
    case .deliver(let downstream, let row):
      return proceed(granted: downstream.receive(output(row)), holdsTurn: true, own: index)
    case .keep(let mayAsk):
      return mayAsk ? proceed(granted: .none, holdsTurn: false, own: index) : .none
    case .drop(let slip):
      report(slip)
      return .none
    }
  }

  @inlinable
  func finished(_ index: Int) {
    let (released, slip) = state.withLock { state in
      guard state.isOpen, state.inputs[index].phase != .finished else {
        return (nil as (any Subscription)?, state.slip(.secondEnd, of: index, in: .finished))
      }
      state.inputs[index].phase = .finished
      state.finished += 1
      if state.isStarted {
        state.isOver = state.slots.isOver(state.inputs, finished: state.finished)
      }
      return (state.inputs[index].subscription.take(), nil)
    }
    withExtendedLifetime(released) {}
    report(slip)
    _ = proceed(granted: .none, holdsTurn: false, own: nil)
  }

  @inlinable
  func failed(_ error: Downstream.Failure, from index: Int) {
    let (sources, released, slip) = state.withLock { state in
      guard state.isOpen, state.inputs[index].phase != .finished else {
        return (
          [] as [any Subscription], nil as ((any Subscription)?, Slots, FIFO<Slots.Row>)?,
          state.slip(.secondEnd, of: index, in: .finished)
        )
      }
      state.failure = error
      let own = state.inputs[index].subscription.take()
      let (slots, waiting) = state.takeValues()
      return (state.takeSources(), (own, slots, waiting), nil)
    }
    for source in sources { source.cancel() }
    withExtendedLifetime(released) {}
    report(slip)
    _ = proceed(granted: .none, holdsTurn: false, own: nil)
  }

  // MARK: Delivering

  /// Delivers what can be delivered, and asks for more.
  ///
  /// - Parameter own: The input whose value is being taken in: it is asked by what this returns.
  @inlinable
  func proceed(
    granted: Subscribers.Demand, holdsTurn: Bool, own: Int?
  ) -> Subscribers.Demand {
    var granted = granted
    var holdsTurn = holdsTurn
    var more = Subscribers.Demand.none
    while true {
      let step = state.withLock {
        $0.nextStep(granted: granted, holdsTurn: &holdsTurn, own: own, more: &more)
      }
      granted = .none
      switch step {
      case .stop:
        return more
      case .deliver(let downstream, let row):
        granted = downstream.receive(output(row))
      case .ask(let subscription):
        subscription.request(.max(1))
      case .askMany(let subscriptions, let demand):
        for subscription in subscriptions { subscription.request(demand) }
      case .end(let downstream, let completion, let sources):
        for source in sources { source.cancel() }
        downstream.receive(completion: completion)
        return .none
      }
    }
  }

  @usableFromInline
  func report(_ slip: ContractViolation.Rule?) {
    if let slip { ContractViolation.report(slip, by: Self.self) }
  }
}

/// What becomes of a value that came.
@frozen
@usableFromInline
enum FanInArrival<Row: Sendable, Downstream: Subscriber>: Sendable {
  case deliver(Downstream, Row)
  case keep(mayAsk: Bool)
  case drop(ContractViolation.Rule?)
}

/// Subscribes one of the upstreams that a fan-in brings together.
@frozen
@usableFromInline
struct FanInPort<Slots: FanInSlots, Downstream: Subscriber, Input: Sendable>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let fanIn: FanIn<Slots, Downstream>
  @usableFromInline let index: Int
  @usableFromInline let put: @Sendable (inout Slots, Input) -> Input?

  @inlinable
  init(
    fanIn: FanIn<Slots, Downstream>, index: Int,
    put: @escaping @Sendable (inout Slots, Input) -> Input?
  ) {
    self.fanIn = fanIn
    self.index = index
    self.put = put
  }

  @inlinable
  func receive(subscription: any Subscription) {
    fanIn.admit(subscription, from: index)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    fanIn.receive(input, from: index, put: put)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: fanIn.finished(index)
    case .failure(let error): fanIn.failed(error, from: index)
    }
  }
}
