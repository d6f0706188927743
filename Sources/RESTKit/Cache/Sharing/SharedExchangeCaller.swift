import Streams

/// A caller that waits for an exchange, with its own demand and cancellation.
final class SharedExchangeCaller: Subscription {
  typealias Downstream = AnySubscriber<RESTResponse, any Error>
  /// A response, an end without one, or a failure.
  typealias Outcome = Result<RESTResponse?, any Error>

  private struct State: Sendable {
    /// The subscriber; nil after the delivery or a cancel.
    var downstream: Downstream?
    var isStarted = false
    var isDemanded = false
    var isCancelled = false
    var outcome: Outcome?

    /// Removes and returns what can be delivered now.
    ///
    /// Only a response waits for demand.
    mutating func takeReady() -> (Downstream, Outcome)? {
      guard isStarted, let outcome, let downstream else { return nil }
      if case .success(.some) = outcome, !isDemanded { return nil }
      self.downstream = nil
      self.outcome = nil
      return (downstream, outcome)
    }
  }

  private let mark = LiveMark(.singleValueSubscription)
  private let exchange: SharedExchange
  private let state: Lock<State>

  init(_ downstream: Downstream, of exchange: SharedExchange) {
    self.exchange = exchange
    state = Lock(State(downstream: downstream))
  }

  /// Whether the caller has cancelled.
  var isGone: Bool { state.withLock { $0.isCancelled } }

  /// Hands the subscription to the subscriber.
  ///
  /// An outcome that is already there is delivered after it.
  func start(_ downstream: Downstream) {
    downstream.receive(subscription: self)
    deliver(
      state.withLock { state in
        state.isStarted = true
        return state.takeReady()
      })
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    deliver(
      state.withLock { state in
        state.isDemanded = true
        return state.takeReady()
      })
  }

  func resolve(_ outcome: Outcome) {
    deliver(
      state.withLock { state in
        guard state.downstream != nil else { return nil }
        state.outcome = outcome
        return state.takeReady()
      })
  }

  func cancel() {
    let (wasWaiting, released) = state.withLock { state in
      let wasWaiting = state.downstream != nil && state.outcome == nil
      state.isCancelled = true
      return (wasWaiting, (state.downstream.take(), state.outcome.take()))
    }
    withExtendedLifetime(released) {}
    if wasWaiting { exchange.leave() }
  }

  private func deliver(_ ready: (Downstream, Outcome)?) {
    guard let (downstream, outcome) = ready else { return }
    switch outcome {
    case .failure(let error): downstream.receive(completion: .failure(error))
    case .success(nil): downstream.receive(completion: .finished)
    case .success(let response?):
      _ = downstream.receive(response)
      if !isGone { downstream.receive(completion: .finished) }
    }
  }
}
