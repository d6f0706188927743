/// Merges the publishers that values become, as far as the downstream asks for their values.
///
/// All state is under one lock, and whoever finds nobody delivering delivers: a value goes straight
/// through if there is demand for it, and waits in the buffer otherwise. Children are asked for one
/// value at a time unless the downstream's demand is unlimited, so that the buffer holds at most one
/// value for each child.
@usableFromInline
final class FlatMapDriver<Downstream: Subscriber>: Sendable {
  @usableFromInline typealias ChildID = FlatMapChildID
  @usableFromInline typealias State = FlatMapState<Downstream>

  @usableFromInline let mark = LiveMark(.flatMapDriver)
  @usableFromInline let state: Lock<State>
  @usableFromInline let maxPublishers: Subscribers.Demand

  @inlinable
  init(downstream: Downstream, maxPublishers: Subscribers.Demand) {
    state = Lock(State(downstream: downstream))
    self.maxPublishers = maxPublishers
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
      state.isCancelled = true
      return (state.takeSources(), (state.downstream.take(), state.buffer.takeAll()))
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

  /// Makes room for a child; nil when no more may run.
  @inlinable
  func addChild() -> ChildID? {
    let (child, slip): (ChildID?, ContractViolation.Rule?) = state.withLock { state in
      guard !state.isCancelled else { return (nil, nil) }
      guard !state.isUpstreamFinished else { return (nil, .valueAfterEnd) }
      guard state.isSlip else { return (nil, nil) }
      guard maxPublishers > state.childCount else { return (nil, .moreThanDemanded) }
      return (state.addChild(), nil)
    }
    report(slip)
    return child
  }

  @inlinable
  func upstreamFinished() {
    let (downstream, released, slip) = state.withLock { state in
      let slip: ContractViolation.Rule? =
        !state.isCancelled && state.isUpstreamFinished ? .secondEnd : nil
      state.isUpstreamFinished = true
      return (state.takeIfFinished(), state.upstream.take(), slip)
    }
    withExtendedLifetime(released) {}
    report(slip)
    downstream?.receive(completion: .finished)
  }

  @inlinable
  func upstreamFailed(_ error: Downstream.Failure) {
    fail(error) { state in
      guard !state.isUpstreamFinished else { return nil }
      state.isUpstreamFinished = true
      return .some(state.upstream.take())
    }
  }

  // MARK: Children

  @inlinable
  func admit(_ subscription: any Subscription, of child: ChildID) {
    let (demand, isSlip): (Subscribers.Demand?, Bool) = state.withLock { state in
      guard state.isCurrent(child), state.slots[child.slot].subscription == nil else {
        return (nil, state.isSlip)
      }
      state.slots[child.slot].subscription = subscription
      return (state.demand == .unlimited ? .unlimited : .max(1), false)
    }
    if let demand {
      subscription.request(demand)
    } else {
      if isSlip { report(.secondSubscription) }
      subscription.cancel()
    }
  }

  @inlinable
  func receive(_ value: Downstream.Input, from child: ChildID) -> Subscribers.Demand {
    let (downstream, isSlip): (Downstream?, Bool) = state.withLock { state in
      guard state.isCurrent(child) else { return (nil, state.isSlip) }
      guard !state.isDelivering, state.buffer.isEmpty, state.demand > .none else {
        state.buffer.append((child, value))
        return (nil, false)
      }
      state.isDelivering = true
      state.demand -= 1
      return (state.downstream, false)
    }
    guard let downstream else {
      if isSlip { report(.valueAfterEnd) }
      return .none
    }
    deliverBuffered(downstream.receive(value))
    return .max(1)
  }

  /// Delivers what waits, as far as there is demand; the caller has set `isDelivering`.
  @inlinable
  func deliverBuffered(_ granted: Subscribers.Demand) {
    var granted = granted
    while true {
      let step: FlatMapStep<Downstream> = state.withLock { state in
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
    let end: ChildEnd<Downstream> = state.withLock { state in
      guard state.isCurrent(child) else { return .stray(isSlip: state.isSlip) }
      let released = state.removeChild(child)
      if let downstream = state.takeIfFinished() { return .last(downstream, released) }
      return .room(state.upstream, released)
    }
    switch end {
    case .stray(let isSlip): if isSlip { report(.secondEnd) }
    case .last(let downstream, _): downstream.receive(completion: .finished)
    case .room(let upstream, _): if maxPublishers != .unlimited { upstream?.request(.max(1)) }
    }
  }

  @inlinable
  func failed(_ error: Downstream.Failure, from child: ChildID) {
    fail(error) { state in
      guard state.isCurrent(child) else { return nil }
      return .some(state.removeChild(child))
    }
  }

  /// Ends the stream with a failure, at once; values that waited for demand are dropped.
  ///
  /// - Parameter takeFailed: Takes out the subscription of who failed, which is released and not
  ///   cancelled; nil if the failure is not to be believed.
  @inlinable
  func fail(
    _ error: Downstream.Failure, takeFailed: (inout State) -> (any Subscription)??
  ) {
    let end: FailureEnd<Downstream> = state.withLock { state in
      guard state.downstream != nil, state.failure == nil, let failed = takeFailed(&state) else {
        return .stray(isSlip: state.isSlip)
      }
      state.failure = .failure(error)
      let downstream = state.isDelivering ? nil : state.downstream.take()
      return .end(downstream, state.takeSources(), failed, state.buffer.takeAll())
    }
    switch end {
    case .stray(let isSlip):
      if isSlip { report(.secondEnd) }
    case .end(let downstream, let sources, _, _):
      for source in sources { source.cancel() }
      downstream?.receive(completion: .failure(error))
    }
  }

  @usableFromInline
  func report(_ slip: ContractViolation.Rule?) {
    if let slip { ContractViolation.report(slip, by: Self.self) }
  }
}
