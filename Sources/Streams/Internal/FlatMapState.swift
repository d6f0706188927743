/// Names a child of a `flatMap`: its slot, and which of the slot's tenants it is.
@usableFromInline
struct FlatMapChildID: Sendable {
  @usableFromInline let slot: Int
  @usableFromInline let generation: Int

  @inlinable
  init(slot: Int, generation: Int) {
    self.slot = slot
    self.generation = generation
  }
}

/// Where a child's subscription stands.
@usableFromInline
struct FlatMapSlot: Sendable {
  @usableFromInline var generation = 0
  @usableFromInline var isTaken = false
  @usableFromInline var subscription: (any Subscription)?

  @inlinable init() {}
}

/// What a `flatMap` keeps under its lock: who runs, what waits, and who may deliver.
@usableFromInline
struct FlatMapState<Downstream: Subscriber>: Sendable {
  @usableFromInline var downstream: Downstream?
  @usableFromInline var upstream: (any Subscription)?
  @usableFromInline var slots: [FlatMapSlot] = []
  @usableFromInline var freeSlots: [Int] = []
  @usableFromInline var demand = Subscribers.Demand.none
  @usableFromInline var buffer = FIFO<(child: FlatMapChildID, value: Downstream.Input)>()
  @usableFromInline var isUpstreamFinished = false
  @usableFromInline var failure: Subscribers.Completion<Downstream.Failure>?
  @usableFromInline var isDelivering = false
  @usableFromInline var isCancelled = false

  @inlinable
  init(downstream: Downstream) {
    self.downstream = downstream
  }

  @inlinable
  func isCurrent(_ child: FlatMapChildID) -> Bool {
    downstream != nil && failure == nil && slots[child.slot].isTaken
      && slots[child.slot].generation == child.generation
  }

  @inlinable var childCount: Int { slots.count - freeSlots.count }

  /// Whether a signal that cannot be used is a slip of who sent it: it is none after a cancel, nor
  /// after a failure, which cancels whoever still runs.
  @inlinable var isSlip: Bool { !isCancelled && failure == nil }

  @inlinable
  mutating func addChild() -> FlatMapChildID {
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = slots.count
      slots.append(FlatMapSlot())
    }
    slots[slot].isTaken = true
    return FlatMapChildID(slot: slot, generation: slots[slot].generation)
  }

  @inlinable
  mutating func removeChild(_ child: FlatMapChildID) -> (any Subscription)? {
    slots[child.slot].isTaken = false
    slots[child.slot].generation += 1
    freeSlots.append(child.slot)
    return slots[child.slot].subscription.take()
  }

  /// Takes the downstream out if the last value has been delivered and no more can come.
  @inlinable
  mutating func takeIfFinished() -> Downstream? {
    guard
      isUpstreamFinished, !isDelivering, buffer.isEmpty, childCount == 0
    else { return nil }
    return downstream.take()
  }

  /// Takes out everything that has to be cancelled or released.
  @inlinable
  mutating func takeSources() -> [any Subscription] {
    var sources = slots.compactMap(\.subscription)
    if let upstream { sources.append(upstream) }
    slots = []
    freeSlots = []
    upstream = nil
    return sources
  }
}

/// What a delivering thread does next.
@frozen
@usableFromInline
enum FlatMapStep<Downstream: Subscriber>: Sendable {
  case stop
  case value(Downstream, Downstream.Input, (any Subscription)?)
  case end(Downstream, Subscribers.Completion<Downstream.Failure>)
}

/// What follows from a child's end.
@frozen
@usableFromInline
enum ChildEnd<Downstream: Subscriber>: Sendable {
  /// It was none of those that run.
  case stray(isSlip: Bool)
  /// There is room for another child; its subscription goes.
  case room((any Subscription)?, (any Subscription)?)
  /// It was the last of all; its subscription goes.
  case last(Downstream, (any Subscription)?)
}

/// What follows from a failure.
@frozen
@usableFromInline
enum FailureEnd<Downstream: Subscriber>: Sendable {
  /// It was not to be believed.
  case stray(isSlip: Bool)
  /// Who is told, unless a delivery runs, which tells it then; who is cancelled; what is released.
  case end(
    Downstream?, [any Subscription], (any Subscription)?,
    FIFO<(child: FlatMapChildID, value: Downstream.Input)>)
}
