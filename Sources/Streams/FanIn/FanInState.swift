/// The rule that says which inputs take part in a fan-in.
@frozen @usableFromInline enum FanInRule: Sendable {
  /// All attached inputs together, after the last one is attached: `merge`, `zip` and similar
  /// operators.
  case fixed
  /// All inputs that arrive: `flatMap`.
  case all
  /// The latest input, which cancels the previous one: `switchToLatest`.
  case latest
  /// The running input, while inputs that arrive meanwhile are dropped: `flatMapFirst`.
  case first
  /// The input that signals first, which cancels the others: `race`.
  case winner
}

/// The identity of an input: its place, and its number among the tenants of that place.
@frozen @usableFromInline struct FanInID: Sendable {
  @usableFromInline let place: Int32
  @usableFromInline let tenant: UInt32

  @inlinable init(place: Int, tenant: UInt32) {
    self.place = Int32(truncatingIfNeeded: place)
    self.tenant = tenant
  }

  @inlinable var index: Int { Int(place) }
}

/// The state of one upstream of several.
@frozen @usableFromInline struct FanInInput: Sendable {
  @frozen @usableFromInline enum Phase: Sendable {
    case awaiting, open, finished
  }

  @usableFromInline var phase = Phase.awaiting
  /// The number of requested values that have not arrived, while demand is limited.
  @usableFromInline var asked = Subscribers.Demand.none
  @usableFromInline var tenant: UInt32 = 0
  @usableFromInline var subscription: (any Subscription)?

  @inlinable init() {}
}

/// The state of a fan-in under its lock: the inputs, the waiting rows and the demand.
@usableFromInline struct FanInState<Slots: FanInSlots, Failure: Error>: Sendable {
  @usableFromInline let rule: FanInRule
  @usableFromInline var slots = Slots()
  @usableFromInline var inputs: [FanInInput] = []
  @usableFromInline var running = 0
  /// The free places for the next inputs.
  @usableFromInline var vacant: [Int] = []
  /// The inputs without outstanding demand, by identity, because a place may have a new tenant.
  @usableFromInline var idle: [FanInID] = []
  /// The source of inputs, which is finished when no further input can come.
  @usableFromInline var outer = FanInInput()
  @usableFromInline var demand = Subscribers.Demand.none
  /// The demand that all inputs still have to get.
  @usableFromInline var unasked = Subscribers.Demand.none
  /// Whether all inputs get unlimited demand.
  @usableFromInline var asksAll = false
  /// The rows that wait for demand, or for another delivery to end.
  @usableFromInline var waiting = FIFO<Slots.Row>()
  @usableFromInline var isStarted: Bool
  @usableFromInline var isOver = false
  /// The input that has won.
  @usableFromInline var chosen: Int?
  @usableFromInline var failure: Failure?
  @usableFromInline var isCancelled = false

  @inlinable init(rule: FanInRule) {
    self.rule = rule
    isStarted = rule != .fixed
  }

  /// Whether signals of inputs still matter.
  @inlinable var isOpen: Bool { !isCancelled && failure == nil && !isOver }

  @inlinable func isCurrent(_ id: FanInID, in phase: FanInInput.Phase) -> Bool {
    isOpen && inputs[id.index].tenant == id.tenant && inputs[id.index].phase == phase
  }

  /// Returns the rule that a signal breaks, if any.
  ///
  /// A signal breaks no rule after a cancel or a failure, which cancel all running inputs. The same
  /// applies if another input has replaced its input.
  @inlinable func violation(
    _ broken: ContractViolation.Rule, of id: FanInID, in phase: FanInInput.Phase
  ) -> ContractViolation.Rule? {
    guard !isCancelled, failure == nil else { return nil }
    guard inputs[id.index].tenant == id.tenant else { return rule == .all ? broken : nil }
    return inputs[id.index].phase == phase ? broken : nil
  }

  // MARK: Inputs

  @inlinable mutating func addInput() -> FanInID {
    running += 1
    if let place = vacant.popLast() {
      inputs[place].tenant &+= 1
      inputs[place].phase = .awaiting
      inputs[place].asked = .none
      return FanInID(place: place, tenant: inputs[place].tenant)
    }
    inputs.append(FanInInput())
    return FanInID(place: inputs.count - 1, tenant: 0)
  }

  /// Removes an input that has ended.
  @inlinable mutating func removeInput(_ index: Int) -> (any Subscription)? {
    inputs[index].phase = .finished
    running -= 1
    if rule != .fixed { vacant.append(index) }
    settleEnd()
    return inputs[index].subscription.take()
  }

  /// Removes all inputs but one, to be cancelled.
  ///
  /// All of them run: the first signal of any input chooses, and the latest input has no other
  /// beside it.
  @inlinable mutating func removeOthers(than index: Int? = nil) -> [any Subscription] {
    var removed: [any Subscription] = []
    for place in inputs.indices where place != index {
      inputs[place].tenant &+= 1
      running -= 1
      vacant.append(place)
      if let subscription = inputs[place].subscription.take() { removed.append(subscription) }
    }
    return removed
  }

  /// Whether the next input that signals is the winner.
  @inlinable var mustChoose: Bool { rule == .winner && chosen == nil }

  @inlinable mutating func choose(_ index: Int) -> [any Subscription] {
    chosen = index
    outer.phase = .finished
    return removeOthers(than: index)
  }

  /// Updates whether no further row can come.
  @inlinable mutating func settleEnd() {
    guard outer.phase == .finished else { return }
    isOver = running == 0 || (running < inputs.count && slots.isOver(inputs))
  }

  /// The subscriptions of the inputs that take part.
  ///
  /// After an input has won, the others are not visited.
  @inlinable var sources: [any Subscription] {
    guard let chosen else { return inputs.compactMap(\.subscription) }
    return inputs[chosen].subscription.map { [$0] } ?? []
  }

  /// Takes out all subscriptions that have to be cancelled.
  @inlinable mutating func takeSources() -> [any Subscription] {
    var sources = inputs.indices.compactMap { inputs[$0].subscription.take() }
    if let outer = outer.subscription.take() { sources.append(outer) }
    return sources
  }

  /// Takes out all values that have to be released.
  @inlinable mutating func takeValues() -> (Slots, FIFO<Slots.Row>) {
    defer { slots = Slots() }
    return (slots, waiting.takeAll())
  }

  // MARK: Demand

  @inlinable mutating func add(_ more: Subscribers.Demand) {
    guard more > .none, demand != .unlimited else { return }
    demand += more
    if demand == .unlimited || Slots.appetite == .everything {
      if !asksAll, !passesDemand { unasked = .unlimited }
      asksAll = true
    } else if Slots.appetite == .asDemanded {
      unasked += more
    }
  }

  /// Keeps a row waiting.
  ///
  /// - Returns: The row that it replaces, to be released without the lock.
  @inlinable mutating func keep(_ row: Slots.Row) -> Slots.Row? {
    if Slots.appetite == .everything, demand < waiting.count { return waiting.replaceLast(row) }
    waiting.append(row)
    return nil
  }

  /// Whether inputs get the same demand as the downstream requests.
  ///
  /// They do not if several of them deliver.
  @inlinable var passesDemand: Bool { rule != .fixed && rule != .all }

  /// Returns whether an input gets limited demand.
  @inlinable func isLimited(_ index: Int) -> Bool {
    !asksAll && !Slots.isUnbounded(index)
  }

  /// Returns the demand for an input that has just subscribed.
  @inlinable mutating func firstRequest(of id: FanInID) -> Subscribers.Demand {
    if passesDemand { return demand }
    guard isLimited(id.index) else { return isStarted ? .unlimited : .none }
    guard Slots.appetite == .asDemanded else {
      idle.append(id)
      return .none
    }
    guard isStarted else { return .none }
    inputs[id.index].asked = demand - unasked
    return inputs[id.index].asked
  }

  /// Counts a value of an input, and returns false if the value was not requested.
  @inlinable mutating func answer(_ index: Int) -> Bool {
    guard isLimited(index) else { return true }
    if passesDemand { return demand > waiting.count }
    guard inputs[index].asked > .none else { return false }
    inputs[index].asked -= 1
    if Slots.appetite == .oneByOne {
      idle.append(FanInID(place: index, tenant: inputs[index].tenant))
    }
    return true
  }

  // MARK: Steps

  /// Returns the next step of the thread that has the turn.
  ///
  /// The thread keeps the turn for a delivery, and forever at the end.
  ///
  /// - Parameters:
  ///   - own: The input whose value this thread takes in.
  ///   - more: The additional demand for that input.
  @inlinable
  mutating func nextStep(own: FanInID?, more: inout Subscribers.Demand) -> FanInStep<Slots.Row> {
    guard isStarted, !isCancelled else { return .stop }
    if failure != nil { return .end([]) }
    if demand > .none, let row = waiting.popFirst() {
      demand -= 1
      return .deliver(row)
    }
    guard waiting.isEmpty else { return .stop }
    if isOver { return .end(takeSources()) }
    if unasked > .none {
      // Values that were requested one by one come before those of an unlimited request.
      if rule == .all, case .ask(let first, let demand) = askIdle(own: own, more: &more) {
        return .ask(first, demand)
      }
      return askAll(own: own, more: &more)
    }
    // After all inputs have unlimited demand, no idle input waits for a request.
    if idle.isEmpty || (demand == .none && rule != .all) { return .stop }
    return askIdle(own: own, more: &more)
  }

  /// Requests the downstream's demand from all inputs.
  @inlinable
  mutating func askAll(own: FanInID?, more: inout Subscribers.Demand) -> FanInStep<Slots.Row> {
    let demand = exchange(&unasked, with: .none)
    var asked: [any Subscription] = []
    for index in inputs.indices where !Slots.isUnbounded(index) {
      guard let subscription = inputs[index].subscription else { continue }
      inputs[index].asked += demand
      if demand != .unlimited, index == own?.index {
        more += demand
      } else {
        asked.append(subscription)
      }
    }
    return .ask(asked, demand)
  }

  /// Requests one value from each idle input that can send.
  ///
  /// The requests are made together. An input may answer at once, and must not find other inputs to
  /// request from inside its answer.
  @inlinable
  mutating func askIdle(own: FanInID?, more: inout Subscribers.Demand) -> FanInStep<Slots.Row> {
    var asked: [any Subscription] = []
    for place in idle.indices {
      let id = idle[place]
      let index = id.index
      guard inputs[index].tenant == id.tenant, inputs[index].phase == .open,
        inputs[index].asked == .none, let subscription = inputs[index].subscription
      else { continue }
      inputs[index].asked = .max(1)
      if index == own?.index { more += 1 } else { asked.append(subscription) }
    }
    idle.removeAll(keepingCapacity: true)
    return asked.isEmpty ? .stop : .ask(asked, .max(1))
  }
}

/// The next step of a thread, without the lock.
@frozen @usableFromInline enum FanInStep<Row: Sendable>: Sendable {
  case stop
  case deliver(Row)
  case ask([any Subscription], Subscribers.Demand)
  /// Cancel these subscriptions, and end.
  case end([any Subscription])
}
