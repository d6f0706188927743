import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A subscription to one call of an engine with a whole response.
///
/// It works as a `Single`, but without type parameters: the release of generic state looks up its types each
/// time.
final class ResponseSubscription: Subscription {
  typealias Downstream = AnySubscriber<RESTResponse, any Error>
  typealias Outcome = Result<RESTResponse, any Error>

  private struct State {
    /// The subscriber, or nil once nothing more is delivered.
    var downstream: Downstream?
    var isDemanded = false
    var isCancelled = false
    var outcome: Outcome?
    var call: EngineCall?

    /// Takes the outcome if it can be delivered now.
    ///
    /// A failure does not wait for demand.
    mutating func takeReady() -> (Downstream, Outcome)? {
      guard let outcome, let downstream else { return nil }
      if case .success = outcome, !isDemanded { return nil }
      self.downstream = nil
      self.outcome = nil
      call = nil
      return (downstream, outcome)
    }
  }

  private let mark = LiveMark(.singleValueSubscription)
  // Keeps the engine running.
  private let engine: any HTTPEngine
  private let request: URLRequest
  private let state: Lock<State>

  init(engine: any HTTPEngine, request: URLRequest, downstream: Downstream) {
    self.engine = engine
    self.request = request
    state = Lock(State(downstream: downstream))
  }

  func start() {
    guard state.withLock({ $0.downstream != nil }) else { return }
    let summary = RequestSummary(request)
    do throws(TransportError) {
      let url = try request.target()
      let engineRequest = try EngineRequest(request, url: url)
      hold(
        engine.start(engineRequest) { [self] result in
          receive(
            result
              .map { RESTResponse($0, url: url, request: summary) }
              .mapError { RESTError($0, request: summary) })
        })
    } catch {
      receive(.failure(RESTError(error, request: summary)))
    }
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    deliver(
      state.withLock { state in
        state.isDemanded = true
        return state.takeReady()
      })
  }

  func cancel() {
    let (call, released) = state.withLock { state in
      state.isCancelled = true
      return (state.call.take(), (state.downstream.take(), state.outcome.take()))
    }
    call?.cancel()
    withExtendedLifetime(released) {}
  }

  /// Keeps the call for a later cancel, or cancels it if the cancel came first.
  private func hold(_ call: EngineCall) {
    let isCancelled = state.withLock { state in
      if state.downstream != nil { state.call = call }
      return state.isCancelled
    }
    if isCancelled { call.cancel() }
  }

  private func receive(_ outcome: Outcome) {
    deliver(
      state.withLock { state in
        state.outcome = outcome
        return state.takeReady()
      })
  }

  private func deliver(_ ready: (Downstream, Outcome)?) {
    guard let (downstream, outcome) = ready else { return }
    switch outcome {
    case .failure(let error):
      downstream.receive(completion: .failure(error))
    case .success(let response):
      _ = downstream.receive(response)
      if !state.withLock({ $0.isCancelled }) { downstream.receive(completion: .finished) }
    }
  }
}
