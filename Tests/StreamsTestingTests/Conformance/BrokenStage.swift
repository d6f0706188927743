import Streams

/// A fault of an operator.
enum StageFault: Sendable {
  case none
  case asksForEverything, asksForEach, forwardsEachCancel, endsWithoutCancel, cancelsAfterEnd
  case swallowsFailure, holdsFailureBack, keepsSecondSubscription, ignoresTheEnd, dropsSilently
  case deafToCancel, earlyValues, keepsUpstream, overproduces, forgetsContext
  case misreports, losesFirstEnd
}

extension Publisher {
  func broken(_ fault: StageFault) -> BrokenStage<Self> {
    BrokenStage(upstream: self, fault: fault)
  }
}

/// An operator that passes values on and breaks one rule.
struct BrokenStage<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let fault: StageFault

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.receive(
      subscriber: BrokenStageSubscriber(downstream: AnySubscriber(subscriber), fault: fault))
  }
}

private final class BrokenStageSubscriber<Input: Sendable, Failure: Error>: Subscriber, Subscription
{
  private struct State: Sendable {
    var downstream: AnySubscriber<Input, Failure>?
    var upstream: (any Subscription)?
    var isSubscribed = false
    var isOver = false
    var isCancelled = false
    var values = 0
    var demand = Subscribers.Demand.none
    var failure: Failure?
  }

  private let fault: StageFault
  private let state: Lock<State>
  let context: SubscriptionContext

  init(downstream: AnySubscriber<Input, Failure>, fault: StageFault) {
    self.fault = fault
    context = fault == .forgetsContext ? SubscriptionContext() : downstream.context
    state = Lock(State(downstream: downstream))
  }

  func receive(subscription: any Subscription) {
    let isFirst = state.withLock { state in
      defer { state.isSubscribed = true }
      if state.isSubscribed, fault != .keepsSecondSubscription { return false }
      state.upstream = subscription
      return !state.isSubscribed
    }
    guard isFirst else {
      if fault == .keepsSecondSubscription { return subscription.request(.max(1)) }
      report(.secondSubscription)
      return subscription.cancel()
    }
    if fault == .asksForEverything { subscription.request(.unlimited) }
    state.withLock { $0.downstream }?.receive(subscription: self)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let (downstream, values, isOver) = state.withLock { state in
      state.values += 1
      state.demand -= 1
      return (state.downstream, state.values, state.isOver || state.isCancelled)
    }
    let isDeaf = fault == .deafToCancel || fault == .ignoresTheEnd || fault == .overproduces
    let isEarly = !state.withLock { $0.isSubscribed } && fault != .earlyValues
    if isEarly || (isOver && !isDeaf) {
      report(isEarly ? .valueBeforeSubscription : .valueAfterEnd)
      return .none
    }
    if fault == .endsWithoutCancel, values == 3 {
      let ended = state.withLock { state in
        state.isOver = true
        return state.downstream.take()
      }
      ended?.receive(completion: .finished)
      return .none
    }
    if fault == .asksForEach { state.withLock { $0.upstream }?.request(.max(1)) }
    return downstream?.receive(input) ?? .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let (downstream, wasOver) = state.withLock { state in
      defer {
        state.isOver = true
        if fault != .keepsUpstream, fault != .cancelsAfterEnd { state.upstream = nil }
      }
      return (state.downstream, state.isOver || state.isCancelled)
    }
    if fault == .losesFirstEnd { return wasOver ? end(downstream, completion) : () }
    if wasOver, fault != .ignoresTheEnd {
      return report(.secondEnd)
    }
    if case .failure(let error) = completion {
      if fault == .swallowsFailure { return end(downstream, .finished) }
      if fault == .holdsFailureBack, state.withLock({ $0.demand }) == .none {
        return state.withLock { $0.failure = error }
      }
    }
    end(downstream, completion)
  }

  private func end(
    _ downstream: AnySubscriber<Input, Failure>?, _ completion: Subscribers.Completion<Failure>
  ) {
    let isKept = fault == .ignoresTheEnd || fault == .overproduces
    let released = state.withLock { isKept ? nil : $0.downstream.take() }
    withExtendedLifetime(released) {}
    downstream?.receive(completion: completion)
  }

  private func report(_ violation: ContractViolation.Rule) {
    if fault == .misreports { return ContractViolation.report(.overlap, by: Self.self) }
    if fault != .dropsSilently, !state.withLock({ $0.isCancelled }) {
      ContractViolation.report(violation, by: Self.self)
    }
  }

  func request(_ demand: Subscribers.Demand) {
    let (upstream, failure, downstream) = state.withLock { state in
      state.demand += demand
      return (state.upstream, demand > .none ? state.failure.take() : nil, state.downstream)
    }
    if let failure { return end(downstream, .failure(failure)) }
    upstream?.request(demand)
  }

  func cancel() {
    let upstream = state.withLock { state -> (any Subscription)? in
      state.isCancelled = true
      if fault != .deafToCancel { state.downstream = nil }
      return fault == .forwardsEachCancel ? state.upstream : state.upstream.take()
    }
    upstream?.cancel()
  }
}
