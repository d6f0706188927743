import Streams
import Synchronization

/// A publisher that fails when a requested value does not arrive in the time of a clock.
///
/// The clock runs only while there is demand.
struct SilenceLimit<Upstream: Publisher>: Publisher where Upstream.Failure == any Error {
  typealias Output = Upstream.Output
  typealias Failure = any Error

  let upstream: Upstream
  let clock: SilenceClock
  let error: @Sendable () -> any Error

  func receive(subscriber: some Subscriber<Output, Failure>) {
    upstream.receive(subscriber: SilenceWatch(subscriber, clock: clock, error: error))
  }
}

private final class SilenceWatch<Downstream: Subscriber>: Subscriber, Subscription
where Downstream.Failure == any Error {
  typealias Input = Downstream.Input
  typealias Failure = any Error

  private struct State {
    /// Nil after the end of the delivery.
    var downstream: Downstream?
    var upstream: (any Subscription)?
    var demand = Subscribers.Demand.none
    var isDelivering = false
  }

  private let clock: SilenceClock
  private let error: @Sendable () -> any Error
  private let state: Mutex<State>

  init(
    _ downstream: Downstream, clock: SilenceClock, error: @escaping @Sendable () -> any Error
  ) {
    self.clock = clock
    self.error = error
    state = Mutex(State(downstream: downstream))
  }

  // MARK: Upstream

  func receive(subscription: any Subscription) {
    let downstream = state.withLock { state in
      state.upstream = subscription
      return state.downstream
    }
    // The clock releases this object at the end and after a cancel.
    clock.start { self.lapse() }
    downstream?.receive(subscription: self)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let downstream = state.withLock { state in
      state.demand -= 1
      state.isDelivering = true
      return state.downstream
    }
    clock.count(false)
    guard let downstream else { return .none }
    let more = downstream.receive(input)
    let isAwaited = state.withLock { state in
      state.demand += more
      state.isDelivering = false
      return state.downstream != nil && state.demand > .none
    }
    clock.count(isAwaited)
    return more
  }

  func receive(completion: Subscribers.Completion<any Error>) {
    clock.stop()
    take().downstream?.receive(completion: completion)
  }

  // MARK: Downstream

  func request(_ demand: Subscribers.Demand) {
    let (upstream, isFirst) = state.withLock { state in
      // More demand during a wait gives the server no more time.
      let isFirst = state.demand == .none && !state.isDelivering && state.downstream != nil
      state.demand += demand
      return (state.upstream, isFirst)
    }
    if isFirst { clock.count(true) }
    upstream?.request(demand)
  }

  func cancel() {
    clock.stop()
    take().upstream?.cancel()
  }

  private func lapse() {
    // A value in delivery came in time. The check and the removal are one step: a value that comes
    // between the two would be delivered at the same time as the end.
    let taken = state.withLock { state -> (Downstream?, (any Subscription)?)? in
      guard !state.isDelivering else { return nil }
      return (state.downstream.take(), state.upstream.take())
    }
    guard let (downstream, upstream) = taken else { return }
    clock.stop()
    upstream?.cancel()
    downstream?.receive(completion: .failure(error()))
  }

  private func take() -> (downstream: Downstream?, upstream: (any Subscription)?) {
    state.withLock { ($0.downstream.take(), $0.upstream.take()) }
  }
}
