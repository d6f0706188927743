/// Which publisher a ``SwitchDriver`` follows when a new one comes while one runs.
@frozen
@usableFromInline
enum SwitchRule: Sendable {
  /// The new one; the one that runs is cancelled.
  case latest
  /// The one that runs; the new one is dropped.
  case first
}

/// Follows one of the publishers that its upstream sends at a time: what `switchToLatest` and
/// `flatMapFirst` share.
///
/// All state is under one lock, and whoever finds nobody delivering delivers.
@usableFromInline
final class SwitchDriver<Downstream: Subscriber>: Sendable {
  @usableFromInline typealias State = SwitchState<Downstream>

  @usableFromInline let mark = LiveMark(.switchDriver)
  @usableFromInline let state: Lock<State>
  @usableFromInline let rule: SwitchRule

  @inlinable
  init(downstream: Downstream, rule: SwitchRule) {
    state = Lock(State(downstream: downstream))
    self.rule = rule
  }

  // MARK: Downstream

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    let child = state.withLock { state in
      state.demand += demand
      return state.child
    }
    child?.request(demand)
  }

  @inlinable
  func cancel() {
    let (sources, released) = state.withLock { state in
      state.isCancelled = true
      return (state.takeSources(), (state.downstream.take(), state.waiting.takeAll()))
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
    subscription.request(.unlimited)
  }

  /// Makes room for a child, if it is to be followed; cancels the one before.
  @inlinable
  func beginChild() -> Int? {
    let (turn, before, released, slip) = state.withLock { state in
      guard state.isOpen, !state.isUpstreamFinished, rule == .latest || !state.isChildRunning
      else {
        return (
          nil as Int?, nil as (any Subscription)?, FIFO<Downstream.Input>(),
          state.slip(.valueAfterEnd, if: state.isUpstreamFinished)
        )
      }
      state.turn += 1
      state.isChildRunning = true
      let released = rule == .latest ? state.waiting.takeAll() : FIFO()
      return (state.turn, state.child.take(), released, nil)
    }
    before?.cancel()
    withExtendedLifetime(released) {}
    report(slip)
    return turn
  }

  @inlinable
  func upstreamEnded(_ completion: Subscribers.Completion<Downstream.Failure>) {
    let (released, sources, slip) = state.withLock { state in
      guard state.isOpen, !state.isUpstreamFinished else {
        return (
          nil as (any Subscription)?, [] as [any Subscription],
          state.slip(.secondEnd, if: state.isUpstreamFinished)
        )
      }
      state.isUpstreamFinished = true
      let own = state.upstream.take()
      guard case .failure = completion else { return (own, [], nil) }
      state.failure = completion
      return (own, state.takeSources(), nil)
    }
    finishEnding(sources, released, slip)
  }

  // MARK: Children

  @inlinable
  func admit(_ subscription: any Subscription, of turn: Int) {
    let (demand, slip): (Subscribers.Demand?, ContractViolation.Rule?) = state.withLock { state in
      guard state.isCurrent(turn), state.child == nil else {
        return (nil, state.slip(.secondSubscription, if: state.isCurrent(turn)))
      }
      state.child = subscription
      return (state.demand, nil)
    }
    if let demand {
      if demand > .none { subscription.request(demand) }
    } else {
      report(slip)
      subscription.cancel()
    }
  }

  @inlinable
  func receive(_ value: Downstream.Input, of turn: Int) -> Subscribers.Demand {
    let (downstream, slip): (Downstream?, ContractViolation.Rule?) = state.withLock { state in
      guard state.isCurrent(turn) else {
        return (nil, state.slip(.valueAfterEnd, if: turn == state.turn))
      }
      guard state.demand > state.waiting.count else { return (nil, .moreThanDemanded) }
      guard !state.isDelivering else {
        state.waiting.append(value)
        return (nil, nil)
      }
      state.isDelivering = true
      state.demand -= 1
      return (state.downstream, nil)
    }
    guard let downstream else {
      report(slip)
      return .none
    }
    return proceed(granted: downstream.receive(value), holdsTurn: true, own: turn)
  }

  @inlinable
  func childEnded(_ completion: Subscribers.Completion<Downstream.Failure>, of turn: Int) {
    let (released, sources, slip) = state.withLock { state in
      guard state.isCurrent(turn) else {
        return (
          nil as (any Subscription)?, [] as [any Subscription],
          state.slip(.secondEnd, if: turn == state.turn)
        )
      }
      state.isChildRunning = false
      let own = state.child.take()
      guard case .failure = completion else { return (own, [], nil) }
      state.failure = completion
      return (own, state.takeSources(), nil)
    }
    finishEnding(sources, released, slip)
  }

  @inlinable
  func finishEnding(
    _ sources: [any Subscription], _ released: (any Subscription)?, _ slip: ContractViolation.Rule?
  ) {
    for source in sources { source.cancel() }
    withExtendedLifetime(released) {}
    report(slip)
    _ = proceed(granted: .none, holdsTurn: false, own: nil)
  }

  /// Delivers what waits, and the end; returns what to ask of the child whose value is taken in.
  @inlinable
  func proceed(
    granted: Subscribers.Demand, holdsTurn: Bool, own: Int?
  ) -> Subscribers.Demand {
    var granted = granted
    var holdsTurn = holdsTurn
    var more = Subscribers.Demand.none
    while true {
      let (step, turn, child) = state.withLock { state in
        let step = state.nextStep(granted: granted, holdsTurn: &holdsTurn)
        return (step, state.turn, state.child)
      }
      if granted > .none {
        if turn == own { more += granted } else { child?.request(granted) }
        granted = .none
      }
      switch step {
      case .stop:
        return more
      case .deliver(let downstream, let value):
        granted = downstream.receive(value)
      case .end(let downstream, let completion, let released):
        downstream.receive(completion: completion)
        withExtendedLifetime(released) {}
        return .none
      }
    }
  }

  @usableFromInline
  func report(_ slip: ContractViolation.Rule?) {
    if let slip { ContractViolation.report(slip, by: Self.self) }
  }
}
