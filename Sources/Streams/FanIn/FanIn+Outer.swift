/// The source of the upstreams, if they arrive one by one.
extension FanIn {
  @inlinable func admitOuter(_ subscription: any Subscription) {
    let (isAdmitted, slip): (Bool, ContractViolation.Rule?) = state.withLock { state in
      guard state.isOpen, state.outer.phase == .awaiting else {
        return (false, state.isCancelled || state.failure != nil ? nil : .secondSubscription)
      }
      state.outer.phase = .open
      state.outer.subscription = subscription
      return (true, nil)
    }
    report(slip)
    guard isAdmitted else { return subscription.cancel() }
    if limit > .none { subscription.request(limit) }
  }

  /// Makes room for an input as the rule says, or returns nil if the input does not take part.
  @inlinable func addInput() -> FanInID? {
    let (id, others, released, slip) = state.withLock {
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
    report(slip)
    return id
  }

  /// Delivers the only value of an input and ends the input, if nothing is in the way.
  ///
  /// - Returns: The demand for the source of inputs, or nil if the value has to wait for its turn.
  @inlinable func pass(_ value: Slots.Row, as id: FanInID) -> Subscribers.Demand? {
    let isAll: Bool? = state.withLock { state in
      guard state.isCurrent(id, in: .awaiting), state.waiting.isEmpty, state.demand > .none,
        turn.take(), !notesCancel(&state)
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
        let isSlip = !state.isCancelled && state.failure == nil
        return FanInEnd(slip: isSlip ? .secondEnd : nil)
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
