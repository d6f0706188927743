import Streams
import Synchronization

/// Takes the signals of a Combine publisher, and lets through what the contract of Streams allows.
///
/// Signals go down one at a time, and requests up one at a time: whoever comes while another is at it
/// leaves a note in the state and returns, so that nothing calls deeper and deeper either way.
final class ContractSubscriber<Downstream: Streams.Subscriber>: ContextCarrier, Sendable {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let context: SubscriptionContext
  private let state: Mutex<ContractState<Downstream>>

  init(_ downstream: Downstream) {
    context = downstream.context
    state = Mutex(ContractState(downstream))
  }

  /// Delivers what has come during a signal, and what comes meanwhile.
  ///
  /// - Parameter answer: What the downstream asked for when it took that signal.
  /// - Returns: What to ask the upstream for.
  private func deliverRest(
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
  private func perform(_ request: (UpstreamSubscription, Streams.Subscribers.Demand)?) {
    var request = request
    while let (upstream, demand) = request {
      upstream.request(demand)
      request = state.withLock { $0.nextRequest() }
    }
  }

  private func report(_ slip: ContractViolation.Rule?) {
    if let slip { ContractViolation.report(slip, by: Self.self) }
  }
}

extension ContractSubscriber: CombineFramework.Subscriber {
  func receive(subscription: any CombineFramework.Subscription) {
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

  func receive(_ input: Input) -> CombineFramework.Subscribers.Demand {
    switch state.withLock({ $0.admit(input) }) {
    case .deliver(let downstream):
      return deliverRest(to: downstream, answer: downstream.receive(input)).forCombine
    case .wait: break
    case .drop(let slip): report(slip)
    }
    return .none
  }

  func receive(completion: CombineFramework.Subscribers.Completion<Failure>) {
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
  func request(_ demand: Streams.Subscribers.Demand) {
    guard demand > .none else { return }
    perform(state.withLock { $0.add(demand) })
  }

  func cancel() {
    let ended = state.withLock { $0.cancel() }
    ended?.upstream?.cancel()
  }
}
