// How it works inside. Arrows are calls. Only the box runs under the lock.
//
//   upstream 0, 1, ...                       source of upstreams (flatMap, switchToLatest)
//        |                                        |
//   FanInPort, one for each                  FanInSource, which subscribes to each or passes Just
//        | admit, receive, ended                  | admitOuter, addInput, pass, outerEnded
//        v                                        v
//   +- state: Lock<FanInState> ----------------------------------------------------------+
//   | inputs, outer    their phases, subscriptions and outstanding demand                |
//   | slots            values that are no whole row yet: merge, zip, combineLatest ...   |
//   | waiting, demand  rows that wait, and what the downstream still wants               |
//   | failure, isOver, isCancelled                                                       |
//   +------------------------------------------------------------------------------------+
//        |  a row that may pass at once                ^ nextStep: deliver, ask, end or stop
//        v                                             v
//   the thread of the value, with `turn` ------> proceed, a loop of the thread with `turn`
//        | receive                                     | receive         | request, cancel
//        v                                             v                 v
//   downstream -- request, cancel --> `gate` --> request, cancel    upstreams
//
// A thread that finds the turn taken leaves its row in `waiting`, and a call. Who has the turn
// finds it by `nextStep`. Only that thread calls the downstream, so one signal comes at a time.

/// A driver that combines several upstreams, for `merge`, `zip`, `flatMap`, `switchToLatest`,
/// `race` and similar operators.
///
/// The operators differ in their slots and in the rule for taking part.
///
/// One lock protects the state of all inputs. A thread that finds no other thread delivering
/// delivers. A row passes at once if there is demand for it, and waits otherwise. When the
/// downstream's demand is unlimited, each upstream gets unlimited demand. Before that, the slots
/// decide: `merge` and `flatMap` request one value at a time, so at most one value of each upstream
/// waits. `zip` requests as many values as there are requested rows, and `combineLatest` requests
/// everything.
@usableFromInline final class FanIn<Slots: FanInSlots, Downstream: Subscriber>: SubscriptionDriver
where Slots.Row == Downstream.Input {
  @usableFromInline typealias State = FanInState<Slots, Downstream.Failure>

  @usableFromInline let mark = LeakMark("fanIn")
  @usableFromInline let downstream: Downstream
  /// The gate of the downstream's subscription, which releases this driver at the end.
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let state: Lock<State>
  @usableFromInline let turn = DeliveryTurn()
  /// The number of inputs that may run.
  @usableFromInline let limit: Subscribers.Demand

  /// Hands the downstream its subscription.
  ///
  /// Attach the upstreams next, and then call `start()`.
  @inlinable init(
    for downstream: Downstream, rule: FanInRule = .fixed, limit: Subscribers.Demand = .unlimited
  ) {
    self.downstream = downstream
    self.limit = limit
    state = Lock(State(rule: rule))
    let subscription = ClosureSubscription(self)
    if gate.admit(subscription, for: Self.self) {
      downstream.receive(subscription: gate.subscription)
    }
  }

  // MARK: Downstream

  @inlinable func request(_ demand: Subscribers.Demand) {
    let followed = state.withLock { state in
      state.add(demand)
      return state.passesDemand ? state.sources : []
    }
    for subscription in followed { subscription.request(demand) }
    proceed()
  }

  @inlinable func cancel() {
    let (sources, released) = state.withLock { state in
      state.isCancelled = true
      return (state.takeSources(), state.takeValues())
    }
    for source in sources { source.cancel() }
    withExtendedLifetime(released) {}
  }

  // MARK: Upstreams

  /// Subscribes to one more upstream, unless the stream is over.
  ///
  /// - Parameter put: A closure that puts a value into its slot, under the lock, and returns the
  ///   value to release.
  @inlinable func attach<Upstream: Publisher>(
    _ upstream: Upstream,
    _ put: @escaping @Sendable (inout Slots, Upstream.Output) -> Upstream.Output?
  ) where Upstream.Failure == Downstream.Failure {
    let id = state.withLock { state in
      state.isOpen && state.outer.phase != .finished ? state.addInput() : nil
    }
    guard let id else { return }
    upstream.receive(subscriber: FanInPort(fanIn: self, id: id, put: put))
  }

  /// Lets values flow and the end come, after all upstreams are attached.
  @inlinable func start() {
    let unbounded = state.withLock { state in
      state.isStarted = true
      state.outer.phase = .finished
      state.settleEnd()
      return state.inputs.indices.compactMap {
        Slots.isUnbounded($0) ? state.inputs[$0].subscription : nil
      }
    }
    for subscription in unbounded { subscription.request(.unlimited) }
    proceed()
  }

  @inlinable func admit(_ subscription: any Subscription, of id: FanInID) {
    let (demand, violation): (Subscribers.Demand?, ContractViolation.Rule?) = state.withLock {
      state in
      guard state.isCurrent(id, in: .awaiting) else {
        return (nil, state.violation(.secondSubscription, of: id, in: .open))
      }
      state.inputs[id.index].phase = .open
      state.inputs[id.index].subscription = subscription
      return (state.firstRequest(of: id), nil)
    }
    guard let demand else {
      report(violation)
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) } else { proceed() }
  }

  @inlinable func receive<Value: Sendable>(
    _ value: Value, from id: FanInID, put: (inout Slots, Value) -> Value?
  ) -> Subscribers.Demand {
    let (arrival, released, displaced) = state.withLock {
      state -> (FanInArrival<Slots.Row>, Value?, Slots.Row?) in
      guard state.isCurrent(id, in: .open) else {
        return (
          .drop(
            state.violation(.valueAfterEnd, of: id, in: .finished)
              ?? state.violation(.valueBeforeSubscription, of: id, in: .awaiting)), nil, nil
        )
      }
      if state.mustChoose { return (.choose(state.choose(id.index)), nil, nil) }
      guard state.answer(id.index) else { return (.drop(.moreThanDemanded), nil, nil) }
      let released = put(&state.slots, value)
      let mayAsk = state.isLimited(id.index)
      guard let row = state.slots.takeRow() else {
        return (.keep(mayAsk: mayAsk), released, nil)
      }
      state.settleEnd()
      guard state.isStarted, state.waiting.isEmpty, state.demand > .none, turn.takeOrCall() else {
        let displaced = state.keep(row)
        return (.keep(mayAsk: mayAsk), released, displaced)
      }
      if notesCancel(&state) { return (.drop(nil), released, row) }
      state.demand -= 1
      let isAll = state.demand == .unlimited && !state.isOver
      return (.deliver(row, isAll: isAll), released, nil)
    }
    withExtendedLifetime((released, displaced)) {}
    switch arrival {
    case .deliver(let row, let isAll):
      let granted = downstream.receive(row)
      if isAll, turn.giveBack() { return .none }
      return proceed(granted: granted, holdsTurn: true, own: id)
    case .keep(let mayAsk):
      return mayAsk ? proceed(own: id) : .none
    case .choose(let others):
      for other in others { other.cancel() }
      return receive(value, from: id, put: put)
    case .drop(let violation):
      report(violation)
      return .none
    }
  }

  @inlinable func ended(_ completion: Subscribers.Completion<Downstream.Failure>, of id: FanInID) {
    let end: FanInEnd = state.withLock { state in
      guard state.isOpen, state.inputs[id.index].tenant == id.tenant,
        state.inputs[id.index].phase != .finished
      else {
        return FanInEnd(violation: state.violation(.secondEnd, of: id, in: .finished))
      }
      var end = FanInEnd()
      if state.mustChoose { end.cancelled = state.choose(id.index) }
      end.released = state.removeInput(id.index)
      if case .failure(let error) = completion {
        state.failure = error
        end.cancelled += state.takeSources()
      } else if limit != .unlimited {
        end.next = state.outer.subscription
      }
      end.mustProceed = !state.isOpen
      return end
    }
    finish(end)
  }

  // MARK: Delivering

  /// Does the work that follows from an end, without the lock.
  @inlinable func finish(_ end: FanInEnd) {
    for source in end.cancelled { source.cancel() }
    report(end.violation)
    if end.mustProceed { proceed() }
    end.next?.request(.max(1))
  }

  /// Delivers the rows that can be delivered, and requests more values.
  ///
  /// - Parameter own: The input whose value is being taken in. The return value is the demand for
  ///   it.
  @discardableResult @inlinable func proceed(
    granted: Subscribers.Demand = .none, holdsTurn: Bool = false, own: FanInID? = nil
  ) -> Subscribers.Demand {
    var granted = granted
    var holdsTurn = holdsTurn
    var more = Subscribers.Demand.none
    while true {
      var followed: [any Subscription] = []
      let step: FanInStep<Slots.Row> = state.withLock { state in
        state.add(granted)
        if granted > .none, state.passesDemand {
          if let own, state.isCurrent(own, in: .open) {
            more += granted
          } else {
            followed = state.sources
          }
        }
        guard holdsTurn || turn.takeOrCall(), !notesCancel(&state) else { return .stop }
        let step = state.nextStep(own: own, more: &more)
        switch step {
        case .deliver, .end: holdsTurn = true
        // Answers to requests for one value wait for their turn here, so that none overtakes
        // another. Answers to an unlimited request could be too many for that.
        case .ask(_, let demand):
          holdsTurn = demand != .unlimited && Slots.appetite == .oneByOne
        case .stop: holdsTurn = false
        }
        if !holdsTurn { turn.end() }
        return step
      }
      for subscription in followed { subscription.request(granted) }
      granted = .none
      switch step {
      case .stop:
        return more
      case .deliver(let row):
        granted = downstream.receive(row)
      case .ask(let subscriptions, let demand):
        for subscription in subscriptions { subscription.request(demand) }
      case .end(let sources):
        for source in sources { source.cancel() }
        let isOpen = gate.finish(for: Self.self)
        let (failure, released) = state.withLock { ($0.failure, $0.takeValues()) }
        withExtendedLifetime(released) {}
        if isOpen, !gate.isCancelled {
          downstream.receive(completion: failure.map { .failure($0) } ?? .finished)
        }
        return .none
      }
    }
  }

  /// Whether a cancel has closed the gate, so that no thread needs the turn any more.
  ///
  /// Another thread may have closed the gate, but not come here with its cancel yet. A cancel from
  /// inside a delivery has then returned at once, and is final all the same (contract C-4). A
  /// thread that has taken the turn therefore checks again.
  @inlinable func notesCancel(_ state: inout State) -> Bool {
    guard gate.isCancelled else { return false }
    state.isCancelled = true
    return true
  }

  @usableFromInline func report(_ violation: ContractViolation.Rule?) {
    if let violation { ContractViolation.report(violation, by: Self.self) }
  }
}

/// The treatment of a value that arrived.
@frozen @usableFromInline enum FanInArrival<Row: Sendable>: Sendable {
  /// Deliver the row.
  ///
  /// `isAll` says whether nothing else remains, unless another thread calls.
  case deliver(Row, isAll: Bool)
  case keep(mayAsk: Bool)
  /// Cancel these inputs, which have lost, and try again.
  case choose([any Subscription])
  case drop(ContractViolation.Rule?)
}

/// The work that follows from the end of an upstream.
@frozen @usableFromInline struct FanInEnd: Sendable {
  @usableFromInline var cancelled: [any Subscription] = []
  @usableFromInline var released: (any Subscription)?
  /// The subscription to ask for another upstream.
  @usableFromInline var next: (any Subscription)?
  @usableFromInline var mustProceed = false
  @usableFromInline var violation: ContractViolation.Rule?

  @inlinable init(violation: ContractViolation.Rule? = nil) {
    self.violation = violation
  }
}

/// The source of the upstreams, if they arrive one by one.
extension FanIn {
  @inlinable func admitOuter(_ subscription: any Subscription) {
    let (isAdmitted, violation): (Bool, ContractViolation.Rule?) = state.withLock { state in
      guard state.isOpen, state.outer.phase == .awaiting else {
        return (false, state.isCancelled || state.failure != nil ? nil : .secondSubscription)
      }
      state.outer.phase = .open
      state.outer.subscription = subscription
      return (true, nil)
    }
    report(violation)
    guard isAdmitted else { return subscription.cancel() }
    if limit > .none { subscription.request(limit) }
  }

  /// Makes room for an input as the rule says, or returns nil if the input does not take part.
  @inlinable func addInput() -> FanInID? {
    let (id, others, released, violation) = state.withLock {
      state -> (FanInID?, [any Subscription], FIFO<Slots.Row>, ContractViolation.Rule?) in
      guard !state.isCancelled else { return (nil, [], FIFO(), nil) }
      guard state.outer.phase == .open else {
        let isEarly = state.outer.phase == .awaiting
        return (nil, [], FIFO(), isEarly ? .valueBeforeSubscription : .valueAfterEnd)
      }
      guard state.failure == nil else { return (nil, [], FIFO(), nil) }
      guard limit > state.running else { return (nil, [], FIFO(), .moreThanDemanded) }
      guard state.running > 0, state.rule != .all else {
        return (state.addInput(), [], FIFO(), nil)
      }
      guard state.rule == .latest else { return (nil, [], FIFO(), nil) }
      let others = state.removeOthers()
      return (state.addInput(), others, state.waiting.takeAll(), nil)
    }
    for other in others { other.cancel() }
    withExtendedLifetime(released) {}
    report(violation)
    return id
  }

  /// Delivers the only value of an input and ends the input, if nothing is in the way.
  ///
  /// - Returns: The demand for the source of inputs, or nil if the value has to wait for its turn.
  @inlinable func pass(_ value: Slots.Row, as id: FanInID) -> Subscribers.Demand? {
    let isAll: Bool? = state.withLock { state in
      guard state.isCurrent(id, in: .awaiting), state.waiting.isEmpty, state.demand > .none,
        turn.takeOrCall(), !notesCancel(&state)
      else { return nil }
      state.demand -= 1
      _ = state.removeInput(id.index)
      return state.demand == .unlimited && !state.isOver
    }
    guard let isAll else { return nil }
    let granted = downstream.receive(value)
    if !isAll || !turn.giveBack() { proceed(granted: granted, holdsTurn: true) }
    return limit == .unlimited ? Subscribers.Demand.none : .max(1)
  }

  @inlinable func outerEnded(_ completion: Subscribers.Completion<Downstream.Failure>) {
    let end: FanInEnd = state.withLock { state in
      guard state.isOpen, state.outer.phase != .finished else {
        let isViolation = !state.isCancelled && state.failure == nil
        return FanInEnd(violation: isViolation ? .secondEnd : nil)
      }
      state.outer.phase = .finished
      state.settleEnd()
      var end = FanInEnd()
      end.released = state.outer.subscription.take()
      if case .failure(let error) = completion {
        state.failure = error
        end.cancelled = state.takeSources()
      }
      end.mustProceed = !state.isOpen
      return end
    }
    finish(end)
  }
}
