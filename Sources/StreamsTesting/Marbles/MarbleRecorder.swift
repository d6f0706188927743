import Streams

/// A subscriber that records signals with their virtual time.
final class MarbleRecorder<Input: Sendable, Failure: Error>: Subscriber {
  private struct State: Sendable {
    var subscription: (any Subscription)?
    var demand = Subscribers.Demand.none
    var signals: [(time: Duration, signal: Signal<Input, Failure>)] = []
    var isClosed = false
  }

  private let scheduler: TestScheduler
  private let state = Lock(State())

  init(scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  var signals: [(time: Duration, signal: Signal<Input, Failure>)] {
    state.withLock { $0.signals }
  }

  func request(_ demand: Subscribers.Demand) {
    let subscription = state.withLock { state in
      if state.subscription == nil { state.demand += demand }
      return state.subscription
    }
    subscription?.request(demand)
  }

  func cancel() {
    state.withLock { $0.subscription }?.cancel()
  }

  /// Stops recording.
  func close() {
    state.withLock { $0.isClosed = true }
    cancel()
  }

  func receive(subscription: any Subscription) {
    let demand: Subscribers.Demand? = state.withLock { state in
      if state.subscription != nil { return nil }
      state.subscription = subscription
      return state.demand
    }
    if let demand { subscription.request(demand) } else { subscription.cancel() }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    record(.value(input))
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    record(.completion(completion))
  }

  private func record(_ signal: Signal<Input, Failure>) {
    let time = scheduler.now
    state.withLock { state in
      if !state.isClosed { state.signals.append((time, signal)) }
    }
  }
}
