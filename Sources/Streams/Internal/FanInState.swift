/// Where one upstream of several stands.
@frozen
@usableFromInline
struct FanInInput: Sendable {
  @frozen
  @usableFromInline
  enum Phase: Sendable {
    case awaiting, open, finished
  }

  @usableFromInline var phase = Phase.awaiting
  /// Whether it was asked for a value that has not come, as long as demand is limited.
  @usableFromInline var isAsked = false
  @usableFromInline var subscription: (any Subscription)?

  @inlinable init() {}
}

/// What a fan-in keeps under its lock: who sends, what waits, and who may deliver.
@usableFromInline
struct FanInState<Slots: FanInSlots, Downstream: Subscriber>: Sendable {
  @usableFromInline typealias Step = FanInStep<Slots.Row, Downstream>

  @usableFromInline var downstream: Downstream?
  @usableFromInline var slots = Slots()
  @usableFromInline var inputs: [FanInInput] = []
  /// Inputs that are not asked for anything.
  @usableFromInline var idle: [Int] = []
  @usableFromInline var finished = 0
  @usableFromInline var demand = Subscribers.Demand.none
  @usableFromInline var mustAskAll = false
  /// Rows that wait for demand, or for another delivery to end.
  @usableFromInline var waiting = FIFO<Slots.Row>()
  @usableFromInline var failure: Downstream.Failure?
  @usableFromInline var isStarted = false
  @usableFromInline var isDelivering = false
  @usableFromInline var isOver = false
  @usableFromInline var isCancelled = false

  @inlinable
  init(downstream: Downstream) {
    self.downstream = downstream
  }

  /// Whether signals of inputs still matter.
  @inlinable var isOpen: Bool { downstream != nil && failure == nil && !isOver }

  /// The rule that a signal breaks which found its input in this phase; none after a cancel or a
  /// failure, which cancel whoever still runs.
  @inlinable
  func slip(
    _ rule: ContractViolation.Rule, of index: Int, in phase: FanInInput.Phase
  ) -> ContractViolation.Rule? {
    !isCancelled && failure == nil && inputs[index].phase == phase ? rule : nil
  }

  @inlinable
  mutating func add(_ more: Subscribers.Demand) {
    guard more > .none, demand != .unlimited else { return }
    demand += more
    if demand == .unlimited { mustAskAll = true }
  }

  /// Takes the row that is complete now, to be delivered at once; or lets it wait.
  @inlinable
  mutating func takeRowToDeliver() -> Slots.Row? {
    guard let row = slots.takeRow() else { return nil }
    if finished > 0 { isOver = slots.isOver(inputs, finished: finished) }
    guard !isDelivering, waiting.isEmpty, demand > .none else {
      waiting.append(row)
      return nil
    }
    isDelivering = true
    demand -= 1
    return row
  }

  /// What a thread does next.
  ///
  /// - Parameters:
  ///   - holdsTurn: Whether this thread has delivered a row; then, whether it is to.
  ///   - own: The input whose value this thread takes in.
  ///   - more: What to ask that input for.
  @inlinable
  mutating func nextStep(
    granted: Subscribers.Demand, holdsTurn: inout Bool, own: Int?, more: inout Subscribers.Demand
  ) -> Step {
    add(granted)
    guard holdsTurn || !isDelivering else { return .stop }
    holdsTurn = false
    isDelivering = false
    guard let downstream, isStarted else { return .stop }
    if let failure {
      self.downstream = nil
      return .end(downstream, .failure(failure), [])
    }
    if demand > .none, let row = waiting.popFirst() {
      demand -= 1
      isDelivering = true
      holdsTurn = true
      return .deliver(downstream, row)
    }
    guard waiting.isEmpty else { return .stop }
    if isOver {
      self.downstream = nil
      return .end(downstream, .finished, takeSources())
    }
    if mustAskAll {
      mustAskAll = false
      idle = []
      return .askMany(
        inputs.indices.compactMap { Slots.isUnbounded($0) ? nil : inputs[$0].subscription },
        .unlimited)
    }
    if demand == .none || demand == .unlimited || idle.isEmpty { return .stop }
    return askIdle(own: own, more: &more)
  }

  /// Asks all who are of use for one value each: all at once, because who is asked may answer at
  /// once, and must not find others to ask from inside its answer, and they others.
  @inlinable
  mutating func askIdle(own: Int?, more: inout Subscribers.Demand) -> Step {
    var first: (any Subscription)?
    var rest: [any Subscription] = []
    var kept = 0
    for place in idle.indices {
      let index = idle[place]
      guard inputs[index].phase == .open else { continue }
      guard slots.hasRoom(for: index), let subscription = inputs[index].subscription else {
        idle[kept] = index
        kept += 1
        continue
      }
      inputs[index].isAsked = true
      if index == own {
        more += 1
      } else if first == nil {
        first = subscription
      } else {
        rest.append(subscription)
      }
    }
    idle.removeLast(idle.count - kept)
    guard let first else { return .stop }
    return rest.isEmpty ? .ask(first) : .askMany([first] + rest, .max(1))
  }

  /// Takes out everything that has to be cancelled.
  @inlinable
  mutating func takeSources() -> [any Subscription] {
    idle = []
    return inputs.indices.compactMap { inputs[$0].subscription.take() }
  }

  /// Takes out everything that has to be released.
  @inlinable
  mutating func takeValues() -> (Slots, FIFO<Slots.Row>) {
    let slots = slots
    self.slots = Slots()
    return (slots, waiting.takeAll())
  }
}

/// What a thread does next, without the lock.
@frozen
@usableFromInline
enum FanInStep<Row: Sendable, Downstream: Subscriber>: Sendable {
  case stop
  case deliver(Downstream, Row)
  /// Ask for one value.
  case ask(any Subscription)
  case askMany([any Subscription], Subscribers.Demand)
  /// Cancel these, and end.
  case end(Downstream, Subscribers.Completion<Downstream.Failure>, [any Subscription])
}
