import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// A receiver of a Combine publisher's signals that passes on only those that the contract of
/// Streams allows.
///
/// Signals go downstream one at a time, and requests go upstream one at a time. A call that comes
/// during another one is recorded in the state and returns. The stack therefore does not grow in
/// either direction.
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

  /// Delivers the signals that came during a signal, and those that come meanwhile.
  ///
  /// - Parameter answer: The demand that the downstream returned for that signal.
  /// - Returns: The demand to request from the upstream.
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

  /// Makes a request, and the requests that are recorded meanwhile.
  @inlinable func perform(_ request: (UpstreamSubscription, Streams.Subscribers.Demand)?) {
    var request = request
    while let (upstream, demand) = request {
      upstream.request(demand)
      request = state.withLock { $0.nextRequest() }
    }
  }

  @inlinable func report(_ violation: ContractViolation.Rule?) {
    if let violation { ContractViolation.report(violation, by: Self.self) }
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
    case .drop(let violation):
      report(violation)
      upstream.cancel()
    }
  }

  @inlinable func receive(_ input: Input) -> CombineFramework.Subscribers.Demand {
    switch state.withLock({ $0.admit(input) }) {
    case .deliver(let downstream):
      return deliverRest(to: downstream, answer: downstream.receive(input)).forCombine
    case .wait: break
    case .drop(let violation): report(violation)
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
    case .drop(let violation): report(violation)
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
