/// Who takes part in a fan-in, and what one means for the others.
@frozen @usableFromInline enum FanInRule: Sendable {
  /// All that are attached, together, once the last is: `merge`, `zip` and their like.
  case fixed
  /// All that come: `flatMap`.
  case all
  /// The one that came last; the one before is cancelled: `switchToLatest`.
  case latest
  /// The one that runs; those that come meanwhile are dropped: `flatMapFirst`.
  case first
  /// The one that signals first; the others are cancelled: `race`.
  case winner
}

/// Names an input: its place, and which of the place's tenants it is.
@frozen @usableFromInline struct FanInID: Sendable {
  @usableFromInline let place: Int32
  @usableFromInline let tenant: UInt32

  @inlinable init(place: Int, tenant: UInt32) {
    self.place = Int32(truncatingIfNeeded: place)
    self.tenant = tenant
  }

  @inlinable var index: Int { Int(place) }
}

/// Where one upstream of several stands.
@frozen @usableFromInline struct FanInInput: Sendable {
  @frozen @usableFromInline enum Phase: Sendable {
    case awaiting, open, finished
  }

  @usableFromInline var phase = Phase.awaiting
  /// How many values it was asked for that have not come, as long as demand is limited.
  @usableFromInline var asked = Subscribers.Demand.none
  @usableFromInline var tenant: UInt32 = 0
  @usableFromInline var subscription: (any Subscription)?

  @inlinable init() {}
}

/// What a fan-in keeps under its lock: who sends, what waits, and how much is asked for.
@usableFromInline struct FanInState<Slots: FanInSlots, Failure: Error>: Sendable {
  @usableFromInline let rule: FanInRule
  @usableFromInline var slots = Slots()
  @usableFromInline var inputs: [FanInInput] = []
  @usableFromInline var running = 0
  /// Places that the next inputs take.
  @usableFromInline var vacant: [Int] = []
  /// Inputs that are not asked for anything, by name: a place may have another tenant since.
  @usableFromInline var idle: [FanInID] = []
  /// Where inputs come from; finished once no further one can come.
  @usableFromInline var outer = FanInInput()
  @usableFromInline var demand = Subscribers.Demand.none
  /// What all inputs are to be asked for.
  @usableFromInline var unasked = Subscribers.Demand.none
  /// Whether all inputs are asked for everything.
  @usableFromInline var asksAll = false
  /// Rows that wait for demand, or for another delivery to end.
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

  /// The rule that a signal breaks; none after a cancel or a failure, which cancel whoever runs, nor
  /// of one that has given way to another.
  @inlinable func slip(
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

  /// Takes an input out that has ended.
  @inlinable mutating func removeInput(_ index: Int) -> (any Subscription)? {
    inputs[index].phase = .finished
    running -= 1
    if rule != .fixed { vacant.append(index) }
    settleEnd()
    return inputs[index].subscription.take()
  }

  /// Takes out all inputs but one, which are to be cancelled and give way to it: all of them run,
  /// since the first signal of any chooses, and the latest has no other beside it.
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

  /// Whether the next who signals is the one to stay with.
  @inlinable var mustChoose: Bool { rule == .winner && chosen == nil }

  @inlinable mutating func choose(_ index: Int) -> [any Subscription] {
    chosen = index
    outer.phase = .finished
    return removeOthers(than: index)
  }

  /// Notes whether no further row can come.
  @inlinable mutating func settleEnd() {
    guard outer.phase == .finished else { return }
    isOver = running == 0 || (running < inputs.count && slots.isOver(inputs))
  }

  /// Who takes part; once there is a winner, not a look at those who have lost.
  @inlinable var sources: [any Subscription] {
    guard let chosen else { return inputs.compactMap(\.subscription) }
    return inputs[chosen].subscription.map { [$0] } ?? []
  }

  /// Takes out everything that has to be cancelled.
  @inlinable mutating func takeSources() -> [any Subscription] {
    var sources = inputs.indices.compactMap { inputs[$0].subscription.take() }
    if let outer = outer.subscription.take() { sources.append(outer) }
    return sources
  }

  /// Takes out everything that has to be released.
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

  /// Lets a row wait.
  ///
  /// - Returns: The row that it displaces, to be released without the lock.
  @inlinable mutating func keep(_ row: Slots.Row) -> Slots.Row? {
    if Slots.appetite == .everything, demand < waiting.count { return waiting.replaceLast(row) }
    waiting.append(row)
    return nil
  }

  /// Whether inputs are asked for all that the downstream asks for: not where several deliver.
  @inlinable var passesDemand: Bool { rule != .fixed && rule != .all }

  /// Whether an input is asked for so many values and no more.
  @inlinable func isLimited(_ index: Int) -> Bool {
    !asksAll && !Slots.isUnbounded(index)
  }

  /// What an input is asked for as it comes.
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

  /// Takes in that an input has sent a value; false if it was not asked for one.
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

  /// What a thread does next that has the turn; it keeps it for a delivery, and for good at the end.
  ///
  /// - Parameters:
  ///   - own: The input whose value this thread takes in.
  ///   - more: What to ask that input for.
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
      // What came one by one comes before what comes all at once.
      if rule == .all, case .ask(let first, let demand) = askIdle(own: own, more: &more) {
        return .ask(first, demand)
      }
      return askAll(own: own, more: &more)
    }
    // Once all were asked for everything, nobody who is idle still waits to be asked.
    if idle.isEmpty || (demand == .none && rule != .all) { return .stop }
    return askIdle(own: own, more: &more)
  }

  /// Asks all for what the downstream has asked for.
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

  /// Asks all who are of use for one value each: all at once, because who is asked may answer at
  /// once, and must not find others to ask from inside its answer, and they others.
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

/// What a thread does next, without the lock.
@frozen @usableFromInline enum FanInStep<Row: Sendable>: Sendable {
  case stop
  case deliver(Row)
  case ask([any Subscription], Subscribers.Demand)
  /// Cancel these, and end.
  case end([any Subscription])
}
