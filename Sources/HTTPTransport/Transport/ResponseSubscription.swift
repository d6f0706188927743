import HTTPWire
import Streams

/// A subscription that delivers one response to one subscriber.
///
/// The outcome is a response and the end, the end alone, or a failure. Only a response waits for
/// demand.
///
/// It works as a `Single`, but without type parameters: the release of generic state looks up its
/// types each time.
package final class ResponseSubscription: Subscription {
  package typealias Downstream = AnySubscriber<RESTResponse, any Error>
  package typealias Outcome = Result<RESTResponse?, any Error>

  // A struct and not the bare closure, which an optional would wrap again at each access.
  private struct Work: Sendable {
    let stop: @Sendable () -> Void
  }

  private struct State: Sendable {
    /// The subscriber, or nil once nothing more is delivered.
    var downstream: Downstream?
    /// Whether the subscriber has its subscription.
    var isStarted = false
    var isDemanded = false
    var isCancelled = false
    var outcome: Outcome?
    /// The work behind the outcome; nil once the outcome is there.
    var work: Work?

    /// Takes the outcome if it can be delivered now.
    mutating func takeReady() -> (Downstream, Outcome)? {
      guard isStarted, let outcome, let downstream else { return nil }
      if case .success(.some) = outcome, !isDemanded { return nil }
      self.downstream = nil
      self.outcome = nil
      return (downstream, outcome)
    }
  }

  private let mark = LeakMark("responseSubscription")
  private let state: Lock<State>

  package init(_ downstream: Downstream) {
    state = Lock(State(downstream: downstream))
  }

  /// - Parameter stop: A closure that stops the work if a cancel comes before the outcome.
  package init(_ downstream: Downstream, stop: @escaping @Sendable () -> Void) {
    state = Lock(State(downstream: downstream, work: Work(stop: stop)))
  }

  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Notes that the subscriber has received the subscription.
  ///
  /// An outcome that is already there is delivered now.
  ///
  /// - Returns: Whether the subscriber has not cancelled.
  @discardableResult
  package func start() -> Bool {
    let (isCancelled, ready) = state.withLock { state in
      state.isStarted = true
      return (state.isCancelled, state.takeReady())
    }
    deliver(ready)
    return !isCancelled
  }

  /// Keeps the work that a cancel has to stop.
  ///
  /// If the cancel came first, the work is stopped at once.
  ///
  /// - Parameter stop: A closure that stops the work.
  package func hold(_ stop: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if state.downstream != nil, state.outcome == nil { state.work = Work(stop: stop) }
      return state.isCancelled
    }
    if isCancelled { stop() }
  }

  /// Provides the outcome.
  package func resolve(_ outcome: Outcome) {
    let (work, ready) = state.withLock { state in
      if state.downstream != nil { state.outcome = outcome }
      return (state.work.take(), state.takeReady())
    }
    withExtendedLifetime(work) {}
    deliver(ready)
  }

  package func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    deliver(
      state.withLock { state in
        state.isDemanded = true
        return state.takeReady()
      })
  }

  package func cancel() {
    let (work, released) = state.withLock { state in
      state.isCancelled = true
      return (state.work.take(), (state.downstream.take(), state.outcome.take()))
    }
    work?.stop()
    withExtendedLifetime(released) {}
  }

  private func deliver(_ ready: (Downstream, Outcome)?) {
    guard let (downstream, outcome) = ready else { return }
    switch outcome {
    case .failure(let error): downstream.receive(completion: .failure(error))
    case .success(nil): downstream.receive(completion: .finished)
    case .success(let response?):
      _ = downstream.receive(response)
      if !isCancelled { downstream.receive(completion: .finished) }
    }
  }
}
