/// A driver that runs a stage under a lock, for the signals of an upstream, a timer and demand.
///
/// It delivers the stage's output one signal at a time, on a scheduler if there is one.
///
/// Each subscription has one live timer. A deadline that moves later does not change the timer. If
/// the timer fires early, it is set again for the rest. A value therefore costs no timer.
@usableFromInline
final class TimedDriver<Machine: Publishers.TimedStage, Downstream: Subscriber>: SubscriptionDriver
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline struct State: Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var stage: Machine?
    @usableFromInline var outlet = Publishers.Outlet<Input, Failure>()
    /// Whether a delivery runs or is scheduled.
    @usableFromInline var isDelivering = false
    @usableFromInline var alarm = AlarmState()
    @usableFromInline var isCancelled = false

    @inlinable init(downstream: Downstream, stage: Machine) {
      self.downstream = downstream
      self.stage = stage
    }

    /// Returns the work that follows from a change.
    @inlinable mutating func plan() -> Plan {
      var plan = Plan(request: outlet.takeRequest(), dropped: outlet.dropped.takeAll())
      if outlet.isDeliverable, !isDelivering {
        isDelivering = true
        plan.mustDeliver = true
      }
      if let end = outlet.end {
        plan.staleTimer = alarm.reset()
        plan.mustAbort = end.isLapsed
      } else if let deadline = outlet.deadline {
        plan.mustArm = alarm.mustArm(for: deadline)
      }
      return plan
    }
  }

  @usableFromInline struct Plan: Sendable {
    @usableFromInline let request: Subscribers.Demand
    @usableFromInline let dropped: DroppedValues<Input>
    @usableFromInline var mustDeliver = false
    @usableFromInline var mustArm = false
    @usableFromInline var mustAbort = false
    @usableFromInline var staleTimer: (any Cancellable)?

    @inlinable init(request: Subscribers.Demand, dropped: DroppedValues<Input>) {
      self.request = request
      self.dropped = dropped
    }
  }

  @usableFromInline enum Step: Sendable {
    case stop
    /// Deliver the value, and then do the work that follows from it.
    case value(Downstream, Downstream.Input, Plan)
    case end(
      Downstream, Machine, Publishers.OutletEnd<Downstream.Failure>,
      Publishers.Outlet<Input, Failure>)
  }

  @usableFromInline let mark = LeakMark("timedDriver")
  @usableFromInline let context: SubscriptionContext
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let delivering = Trampoline()
  @usableFromInline let arming = Trampoline()
  @usableFromInline let state: Lock<State>
  @usableFromInline let scheduler: (any Scheduler)?
  @usableFromInline let isInPlace: Bool

  /// - Parameters:
  ///   - scheduler: The scheduler that measures the time and delivers, or nil to deliver on the
  ///     thread of each event.
  ///   - isInPlace: Whether the scheduler only measures the time.
  @inlinable init(
    _ stage: Machine, downstream: Downstream, scheduler: (any Scheduler)?, isInPlace: Bool = false
  ) {
    context = downstream.context
    state = Lock(State(downstream: downstream, stage: stage))
    self.scheduler = scheduler
    self.isInPlace = isInPlace
  }

  @inlinable var now: Duration { scheduler?.now ?? .zero }

  /// Hands the downstream its subscription and lets the stage begin.
  @inlinable func start() {
    state.withLock { $0.downstream }?.receive(subscription: ClosureSubscription(self))
    handle(.begin)
  }

  @inlinable func request(_ demand: Subscribers.Demand) {
    let now = self.now
    let plan: Plan? = state.withLock { state in
      guard state.downstream != nil else { return nil }
      state.outlet.demand += demand
      state.outlet.now = now
      if state.outlet.end == nil { state.stage?.receive(.demand(demand), outlet: &state.outlet) }
      return state.plan()
    }
    if let plan { carryOut(plan) }
  }

  @inlinable func cancel() {
    let (released, stage, timer) = state.withLock { state in
      let timer = state.alarm.reset()
      state.isCancelled = true
      let released = (state.downstream.take(), state.outlet)
      state.outlet = Publishers.Outlet()
      return (released, state.stage.take(), timer)
    }
    timer?.cancel()
    gate.cancel()
    stage?.discard()
    withExtendedLifetime(released) {}
  }

  /// Passes an event to the stage while the stream is open.
  @inlinable func handle(_ event: Publishers.TimedEvent<Machine.Input, Machine.Failure>) {
    let now = self.now
    update { stage, outlet in
      outlet.now = now
      stage.receive(event, outlet: &outlet)
    }
  }

  /// Changes the stage while the stream is open, and returns nil after that.
  @inlinable @discardableResult func update<Result: Sendable>(
    _ change: (inout Machine, inout Publishers.Outlet<Input, Failure>) -> Result
  ) -> Result? {
    let (result, plan): (Result?, Plan?) = state.withLock { state in
      guard state.outlet.end == nil, var stage = state.stage.take() else { return (nil, nil) }
      let result = change(&stage, &state.outlet)
      state.stage = stage
      return (result, state.plan())
    }
    if let plan { carryOut(plan) }
    return result
  }

  @inlinable func carryOut(_ plan: Plan, isOnScheduler: Bool = false) {
    plan.staleTimer?.cancel()
    if plan.mustAbort { gate.cancel() }
    if plan.mustDeliver {
      if isOnScheduler { deliver() } else { scheduleDelivery() }
    }
    if plan.mustArm { arming.run(arm) }
    if plan.request > .none { gate.current?.request(plan.request) }
  }

  // MARK: The timer

  @inlinable func arm() {
    let armed: (deadline: Duration, id: Int, stale: (any Cancellable)?)? = state.withLock { state in
      guard state.stage != nil, state.outlet.end == nil, let deadline = state.outlet.deadline,
        state.alarm.mustArm(for: deadline)
      else { return nil }
      let (id, stale) = state.alarm.arm(for: deadline)
      return (deadline, id, stale)
    }
    guard let armed, let scheduler else { return }
    armed.stale?.cancel()
    let timer = scheduler.schedule(after: armed.deadline.since(scheduler.now)) {
      self.ring(armed.id, at: armed.deadline)
    }
    let isLive = state.withLock { $0.alarm.hold(timer, id: armed.id) }
    if !isLive { timer.cancel() }
  }

  /// Handles the timer.
  ///
  /// The time is at least the timer's deadline, whatever the clock says.
  @inlinable func ring(_ id: Int, at deadline: Duration) {
    let now = max(self.now, deadline)
    let (plan, released): (Plan?, (any Cancellable)?) = state.withLock { state in
      guard state.alarm.isArmed(id: id), state.outlet.end == nil else { return (nil, nil) }
      let released = state.alarm.reset()
      if let deadline = state.outlet.deadline, deadline <= now {
        state.outlet.deadline = nil
        state.outlet.now = now
        state.stage?.receive(.wake, outlet: &state.outlet)
      }
      return (state.plan(), released)
    }
    withExtendedLifetime(released) {}
    if let plan { carryOut(plan, isOnScheduler: true) }
  }

  // MARK: Delivering

  @inlinable func scheduleDelivery() {
    guard let scheduler, !isInPlace else { return deliver() }
    scheduler.schedule { self.deliver() }
  }

  /// Delivers in one job.
  ///
  /// The trampoline handles a scheduler that runs jobs at once.
  @inlinable func deliver() {
    delivering.run(deliverBatch)
  }

  @inlinable func deliverBatch() {
    for _ in 0..<256 {
      switch nextStep() {
      case .stop: return
      case .end(let downstream, let stage, let end, let released):
        stage.discard()
        withExtendedLifetime(released) {}
        let completion = end.completion
        // A released value, or the closure that makes the failure, may have cancelled.
        if !state.withLock({ $0.isCancelled }) { downstream.receive(completion: completion) }
        return
      case .value(let downstream, let value, let plan):
        let more = downstream.receive(value)
        if more > .none { request(more) }
        carryOut(plan)
      }
    }
    scheduleDelivery()
  }

  @inlinable func nextStep() -> Step {
    let now = self.now
    return state.withLock { state in
      guard let downstream = state.downstream else { return .stop }
      if state.outlet.demand > .none, let value = state.outlet.ready.popFirst() {
        state.outlet.demand -= 1
        state.outlet.now = now
        state.stage?.receive(.delivery, outlet: &state.outlet)
        return .value(downstream, value, state.plan())
      }
      if let end = state.outlet.end, let stage = state.stage,
        end.isUrgent || state.outlet.ready.isEmpty
      {
        state.downstream = nil
        state.stage = nil
        // The end may hold user values, too. Only the fact that the stream is over remains here.
        let left = exchange(&state.outlet, with: Publishers.Outlet())
        state.outlet.end = .afterValues(.finished)
        return .end(downstream, stage, end, left)
      }
      state.isDelivering = false
      return .stop
    }
  }
}

/// The state of the timer that runs.
@usableFromInline struct AlarmState: Sendable {
  @usableFromInline var id = 0
  @usableFromInline var deadline: Duration?
  @usableFromInline var timer: (any Cancellable)?

  @inlinable init() {}

  @inlinable func mustArm(for deadline: Duration) -> Bool {
    self.deadline.map { $0 > deadline } ?? true
  }

  @inlinable func isArmed(id: Int) -> Bool {
    self.id == id && deadline != nil
  }

  /// Records a timer that is about to be set, and returns the timer that it replaces.
  @inlinable mutating func arm(for deadline: Duration) -> (id: Int, stale: (any Cancellable)?) {
    id += 1
    self.deadline = deadline
    return (id, timer.take())
  }

  /// Keeps the timer that was set, and returns false if it is not wanted any more.
  @inlinable mutating func hold(_ timer: any Cancellable, id: Int) -> Bool {
    guard isArmed(id: id) else { return false }
    self.timer = timer
    return true
  }

  /// Forgets the timer and returns it.
  @inlinable mutating func reset() -> (any Cancellable)? {
    deadline = nil
    return timer.take()
  }
}
