import Dispatch
import RESTKit
import Streams
import Synchronization

/// A subscription that delivers the events of one exchange on demand, while the exchange waits for
/// demand.
final class ExchangeSubscription<Downstream: Subscriber>: Subscription
where Downstream.Input == TransferEvent, Downstream.Failure == any Error {
  private struct State {
    /// Nil after the end of the delivery.
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var task: Task<Void, Never>?
    /// The exchange, while it waits for demand.
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>
  private let queue = DispatchQueue.delivery()

  init(_ downstream: Downstream) {
    state = Mutex(State(downstream: downstream))
  }

  func start(_ exchange: ClientExchange) {
    guard state.withLock({ $0.downstream != nil }) else { return }
    let task = Task {
      do {
        try await exchange.events { [self] in try await deliver($0) }
        end(.finished)
      } catch {
        end(.failure(error))
      }
    }
    let isOver = state.withLock { state in
      guard state.downstream != nil else { return true }
      state.task = task
      return false
    }
    if isOver { task.cancel() }
  }

  func request(_ demand: Subscribers.Demand) {
    let waiter = state.withLock { state in
      state.demand += demand
      return state.demand > .none ? state.waiter.take() : nil
    }
    waiter?.resume()
  }

  func cancel() {
    let (downstream, task, waiter) = state.withLock { state in
      (state.downstream.take(), state.task.take(), state.waiter.take())
    }
    task?.cancel()
    waiter?.resume()
    withExtendedLifetime(downstream) {}
  }

  private func deliver(_ event: TransferEvent) async throws {
    await waitForDemand()
    let downstream = state.withLock { state in
      if state.downstream != nil { state.demand -= 1 }
      return state.downstream
    }
    guard let downstream else { throw CancellationError() }
    let more: Subscribers.Demand = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: downstream.receive(event)) }
    }
    state.withLock { $0.demand += more }
  }

  private func end(_ completion: Subscribers.Completion<any Error>) {
    guard let downstream = take() else { return }
    queue.async { downstream.receive(completion: completion) }
  }

  private func waitForDemand() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        guard state.downstream != nil, state.demand == .none else { return true }
        state.waiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  private func take() -> Downstream? {
    state.withLock { state in
      state.task = nil
      return state.downstream.take()
    }
  }
}
