import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// Takes the signals of a Combine publisher, and lets through what the contract of Streams allows.
///
/// Signals go down one at a time, and requests up one at a time: whoever comes while another is at it
/// leaves a note in the state and returns, so that nothing calls deeper and deeper either way.
@usableFromInline
final class ContractSubscriber<Downstream: Streams.Subscriber>: Sendable {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let context: SubscriptionContext
  @usableFromInline let state: ObservableLock<ContractState<Downstream>>

  @inlinable init(_ downstream: Downstream) {
    context = downstream.context
    state = ObservableLock(ContractState(downstream))
  }

  /// Delivers what has come during a signal, and what comes meanwhile.
  ///
  /// - Parameter answer: What the downstream asked for when it took that signal.
  /// - Returns: What to ask the upstream for.
  @inlinable func deliverRest(
    to downstream: Downstream, answer: Streams.Subscribers.Demand
  ) -> Streams.Subscribers.Demand {
    var answer = answer
    while true {
      switch state.withLock({ $0.next(adding: answer) }) {
      case .value(let value):
        answer = downstream.receive(value)
      case .end(let completion, _):
        downstream.receive(completion: completion)
        return .none
      case .nothing(let unsent):
        return unsent
      }
    }
  }

  /// Makes a request, and those that are left meanwhile.
  @inlinable func perform(_ request: (UpstreamSubscription, Streams.Subscribers.Demand)?) {
    var request = request
    while let (upstream, demand) = request {
      upstream.request(demand)
      request = state.withLock { $0.nextRequest() }
    }
  }

  @inlinable func report(_ slip: ContractViolation.Rule?) {
    if let slip { ContractViolation.report(slip, by: Self.self) }
  }
}

// MARK: - Signals of the publisher

extension ContractSubscriber {
  @inlinable func receive(subscription: any CombineFramework.Subscription) {
    let upstream = UpstreamSubscription(subscription)
    switch state.withLock({ $0.admit(upstream) }) {
    case .deliver(let downstream):
      downstream.receive(subscription: self)
      let unsent = deliverRest(to: downstream, answer: .none)
      perform(state.withLock { $0.send(unsent) })
    case .wait: break
    case .drop(let slip):
      report(slip)
      upstream.cancel()
    }
  }

  @inlinable func receive(_ input: Input) -> CombineFramework.Subscribers.Demand {
    switch state.withLock({ $0.admit(input) }) {
    case .deliver(let downstream):
      return deliverRest(to: downstream, answer: downstream.receive(input)).forCombine
    case .wait: break
    case .drop(let slip): report(slip)
    }
    return .none
  }

  @inlinable func receive(completion: CombineFramework.Subscribers.Completion<Failure>) {
    let (verdict, lacksSubscription) = state.withLock {
      $0.admit(Streams.Subscribers.Completion(completion))
    }
    if lacksSubscription { report(.endBeforeSubscription) }
    switch verdict {
    case .deliver(let downstream):
      if lacksSubscription { downstream.receive(subscription: self) }
      _ = deliverRest(to: downstream, answer: .none)
    case .wait: break
    case .drop(let slip): report(slip)
    }
  }
}

extension ContractSubscriber: Streams.Subscription {
  @inlinable func request(_ demand: Streams.Subscribers.Demand) {
    guard demand > .none else { return }
    perform(state.withLock { $0.add(demand) })
  }

  @inlinable func cancel() {
    let ended = state.withLock { $0.cancel() }
    ended?.upstream?.cancel()
  }
}
