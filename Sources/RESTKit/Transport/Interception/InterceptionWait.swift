import Dispatch
import Streams

/// The wait of an exchange for its step.
final class InterceptionWait: Subscription {
  typealias End = @Sendable (Subscribers.Completion<any Error>) -> Void

  private struct State: Sendable {
    var exchange: InterceptedExchange
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let step: InterceptedTransport.AsyncStep
  private let state: Lock<State>

  init(for exchange: InterceptedExchange, step: @escaping InterceptedTransport.AsyncStep) {
    self.step = step
    state = Lock(State(exchange: exchange))
  }

  /// The exchange, as the step has left it.
  var exchange: InterceptedExchange { state.withLock { $0.exchange } }

  private var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// - Parameter end: A closure that runs once, when the step has ended; never after a cancel.
  func begin(_ end: @escaping End) {
    guard !isCancelled else { return }
    // A serial queue gets a thread at once; Swift's tasks have only as many threads as there are
    // processors, and a subscriber may block the thread on which its response arrives.
    let queue = DispatchQueue(label: "RESTKit.InterceptedTransport")
    let task = Task {
      let completion = await run()
      queue.async { [self] in
        if !isCancelled { end(completion) }
      }
    }
    let isOver = state.withLock { state in
      if !state.isCancelled { state.task = task }
      return state.isCancelled
    }
    if isOver { task.cancel() }
  }

  private func run() async -> Subscribers.Completion<any Error> {
    let original = exchange
    var changed = original
    do {
      try await step(&changed)
    } catch {
      return .failure(error.ending(original.request))
    }
    let released = state.withLock { [changed] state in
      defer { state.exchange = changed }
      return state.exchange
    }
    // Releasing a user's body may run the user's code.
    withExtendedLifetime(released) {}
    return .finished
  }

  /// Does nothing, since the wait has no values.
  func request(_ demand: Subscribers.Demand) {}

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task.take()
    }
    task?.cancel()
  }
}

/// A publisher that finishes without a value when its wait ends.
struct InterceptionWaiting<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let wait: InterceptionWait

  func receive(subscriber: some Subscriber<Output, Failure>) {
    subscriber.receive(subscription: wait)
    wait.begin { subscriber.receive(completion: $0) }
  }
}
