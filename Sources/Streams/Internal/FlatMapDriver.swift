/// Merges the publishers that values become, as far as the downstream asks for their values.
///
/// All state is under one lock, and whoever finds nobody delivering delivers: a value goes straight
/// through if there is demand for it, and waits in the buffer otherwise. Children are asked for one
/// value at a time unless the downstream's demand is unlimited, so that the buffer holds at most one
/// value for each child.
@usableFromInline
final class FlatMapDriver<Upstream: Publisher, Child: Publisher, Downstream: Subscriber>: Sendable
where
  Child.Output == Downstream.Input, Child.Failure == Downstream.Failure,
  Upstream.Failure == Downstream.Failure
{
  @usableFromInline typealias End = Subscribers.Completion<Downstream.Failure>

  /// Where a child's subscription stands; the generation tells a slot's tenants apart.
  @usableFromInline
  struct Slot: Sendable {
    @usableFromInline var generation = 0
    @usableFromInline var isTaken = false
    @usableFromInline var subscription: (any Subscription)?

    @inlinable init() {}
  }

  @usableFromInline
  struct ChildID: Sendable {
    @usableFromInline let slot: Int
    @usableFromInline let generation: Int

    @inlinable
    init(slot: Int, generation: Int) {
      self.slot = slot
      self.generation = generation
    }
  }

  @usableFromInline
  struct State: Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var upstream: (any Subscription)?
    @usableFromInline var slots: [Slot] = []
    @usableFromInline var freeSlots: [Int] = []
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var buffer = FIFO<(child: ChildID, value: Downstream.Input)>()
    @usableFromInline var isUpstreamFinished = false
    @usableFromInline var failure: End?
    @usableFromInline var isDelivering = false

    @inlinable
    init(downstream: Downstream) {
      self.downstream = downstream
    }

    @inlinable
    func isCurrent(_ child: ChildID) -> Bool {
      downstream != nil && failure == nil && slots[child.slot].isTaken
        && slots[child.slot].generation == child.generation
    }

    @inlinable
    mutating func addChild() -> ChildID {
      let slot: Int
      if let free = freeSlots.popLast() {
        slot = free
      } else {
        slot = slots.count
        slots.append(Slot())
      }
      slots[slot].isTaken = true
      return ChildID(slot: slot, generation: slots[slot].generation)
    }

    @inlinable
    mutating func removeChild(_ child: ChildID) -> (any Subscription)? {
      slots[child.slot].isTaken = false
      slots[child.slot].generation += 1
      freeSlots.append(child.slot)
      return slots[child.slot].subscription.take()
    }

    /// Takes the downstream out if the last value has been delivered and no more can come.
    @inlinable
    mutating func takeIfFinished() -> Downstream? {
      guard
        isUpstreamFinished, !isDelivering, buffer.isEmpty, freeSlots.count == slots.count
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

  @usableFromInline let state: Lock<State>
  @usableFromInline let maxPublishers: Subscribers.Demand
  @usableFromInline let transform: @Sendable (Upstream.Output) -> Child

  @inlinable
  init(
    downstream: Downstream, maxPublishers: Subscribers.Demand,
    transform: @escaping @Sendable (Upstream.Output) -> Child
  ) {
    state = Lock(State(downstream: downstream))
    self.maxPublishers = maxPublishers
    self.transform = transform
  }

  // MARK: Downstream

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    let mustDeliver = state.withLock { state in
      guard state.downstream != nil else { return false }
      state.demand += demand
      guard !state.isDelivering, !state.buffer.isEmpty else { return false }
      state.isDelivering = true
      return true
    }
    if mustDeliver { deliverBuffered(.none) }
  }

  @inlinable
  func cancel() {
    let (sources, released) = state.withLock { state in
      (state.takeSources(), (state.downstream.take(), state.buffer.takeAll()))
    }
    for source in sources { source.cancel() }
    withExtendedLifetime(released) {}
  }

  // MARK: Upstream

  @inlinable
  func admitUpstream(_ subscription: any Subscription) {
    let downstream: Downstream? = state.withLock { state in
      guard state.upstream == nil, !state.isUpstreamFinished else { return nil }
      state.upstream = subscription
      return state.downstream
    }
    guard let downstream else {
      ContractViolation.report(.secondSubscription, by: Self.self)
      subscription.cancel()
      return
    }
    downstream.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand): request(demand)
        case .cancel: cancel()
        }
      })
    subscription.request(maxPublishers)
  }

  @inlinable
  func startChild(for value: Upstream.Output) {
    let child: ChildID? = state.withLock { state in
      guard state.downstream != nil, state.failure == nil, !state.isUpstreamFinished else {
        return nil
      }
      return state.addChild()
    }
    guard let child else { return }
    transform(value).receive(subscriber: FlatMapChild(driver: self, id: child))
  }

  @inlinable
  func upstreamFinished() {
    let (downstream, released) = state.withLock { state in
      state.isUpstreamFinished = true
      return (state.takeIfFinished(), state.upstream.take())
    }
    withExtendedLifetime(released) {}
    downstream?.receive(completion: .finished)
  }

  // MARK: Children

  @inlinable
  func admit(_ subscription: any Subscription, of child: ChildID) {
    let demand: Subscribers.Demand? = state.withLock { state in
      guard state.isCurrent(child), state.slots[child.slot].subscription == nil else { return nil }
      state.slots[child.slot].subscription = subscription
      return state.demand == .unlimited ? .unlimited : .max(1)
    }
    if let demand {
      subscription.request(demand)
    } else {
      subscription.cancel()
    }
  }

  @inlinable
  func receive(_ value: Downstream.Input, from child: ChildID) -> Subscribers.Demand {
    let downstream: Downstream? = state.withLock { state in
      guard state.isCurrent(child) else { return nil }
      guard !state.isDelivering, state.buffer.isEmpty, state.demand > .none else {
        state.buffer.append((child, value))
        return nil
      }
      state.isDelivering = true
      state.demand -= 1
      return state.downstream
    }
    guard let downstream else { return .none }
    deliverBuffered(downstream.receive(value))
    return .max(1)
  }

  /// Delivers what waits, as far as there is demand; the caller has set `isDelivering`.
  @inlinable
  func deliverBuffered(_ granted: Subscribers.Demand) {
    var granted = granted
    while true {
      let step: DeliveryStep<Downstream, ChildID> = state.withLock { state in
        state.demand += granted
        guard let downstream = state.downstream else {
          state.isDelivering = false
          return .stop
        }
        if let failure = state.failure {
          state.isDelivering = false
          state.downstream = nil
          return .end(downstream, failure)
        }
        if state.demand > .none, let next = state.buffer.popFirst() {
          state.demand -= 1
          let source = state.isCurrent(next.child) ? state.slots[next.child.slot].subscription : nil
          return .value(downstream, next.value, source)
        }
        state.isDelivering = false
        return state.takeIfFinished().map { .end($0, .finished) } ?? .stop
      }
      switch step {
      case .stop: return
      case .end(let downstream, let completion):
        downstream.receive(completion: completion)
        return
      case .value(let downstream, let value, let source):
        granted = downstream.receive(value)
        source?.request(.max(1))
      }
    }
  }

  @inlinable
  func finished(_ child: ChildID) {
    let (downstream, upstream, released) = state.withLock { state in
      guard state.isCurrent(child) else {
        return (nil as Downstream?, nil as (any Subscription)?, nil as (any Subscription)?)
      }
      let released = state.removeChild(child)
      return (state.takeIfFinished(), state.upstream, released)
    }
    withExtendedLifetime(released) {}
    if let downstream {
      downstream.receive(completion: .finished)
    } else if maxPublishers != .unlimited {
      upstream?.request(.max(1))
    }
  }

  /// Ends the stream with a failure, at once; values that waited for demand are dropped.
  @inlinable
  func failed(_ error: Downstream.Failure) {
    let (sources, downstream, released) = state.withLock { state in
      guard state.downstream != nil, state.failure == nil else {
        return (
          [] as [any Subscription], nil as Downstream?,
          FIFO<(child: ChildID, value: Downstream.Input)>()
        )
      }
      state.failure = .failure(error)
      let sources = state.takeSources()
      return (
        sources, state.isDelivering ? nil : state.downstream.take(), state.buffer.takeAll()
      )
    }
    for source in sources { source.cancel() }
    withExtendedLifetime(released) {}
    downstream?.receive(completion: .failure(error))
  }
}

/// What a delivering thread does next.
@frozen
@usableFromInline
enum DeliveryStep<Downstream: Subscriber, ChildID: Sendable>: Sendable {
  case stop
  case value(Downstream, Downstream.Input, (any Subscription)?)
  case end(Downstream, Subscribers.Completion<Downstream.Failure>)
}

/// Subscribes one of the publishers that are merged.
@frozen
@usableFromInline
struct FlatMapChild<Upstream: Publisher, Child: Publisher, Downstream: Subscriber>: Subscriber
where
  Child.Output == Downstream.Input, Child.Failure == Downstream.Failure,
  Upstream.Failure == Downstream.Failure
{
  @usableFromInline typealias Driver = FlatMapDriver<Upstream, Child, Downstream>

  @usableFromInline let driver: Driver
  @usableFromInline let id: Driver.ChildID

  @inlinable
  init(driver: Driver, id: Driver.ChildID) {
    self.driver = driver
    self.id = id
  }

  @inlinable
  func receive(subscription: any Subscription) {
    driver.admit(subscription, of: id)
  }

  @inlinable
  func receive(_ input: Child.Output) -> Subscribers.Demand {
    driver.receive(input, from: id)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Child.Failure>) {
    switch completion {
    case .finished: driver.finished(id)
    case .failure(let error): driver.failed(error)
    }
  }
}
