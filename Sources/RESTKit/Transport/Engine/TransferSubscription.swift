import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A subscription to one call of an engine in pieces.
///
/// Events without demand wait here, and the engine pauses when they exceed a mark. Events for a task that
/// reads ahead also wait, if the task must first take as many. Values are delivered on a thread of the
/// engine. Values that already wait are delivered on the thread that requests them, or that takes the
/// preceding values.
final class TransferSubscription<Downstream: Subscriber>: Subscription
where Downstream.Input == TransferEvent, Downstream.Failure == any Error {
  private let engine: any HTTPEngine
  private let request: URLRequest
  private let body: RequestBody?
  private let summary: RequestSummary
  private let tellMetrics: TransferMetrics.Value
  private let state: Lock<TransferState<Downstream>>

  init(
    engine: any HTTPEngine, request: URLRequest, body: RequestBody?, downstream: Downstream
  ) {
    self.engine = engine
    self.request = request
    self.body = body
    summary = RequestSummary(request)
    tellMetrics = downstream.context[TransferMetrics.self]
    state = Lock(TransferState(downstream: downstream, canPause: engine.canPause))
  }

  func start() {
    guard state.withLock({ $0.downstream != nil }) else { return }
    do throws(TransportError) {
      let url = try request.target()
      var engineRequest = try EngineRequest(
        request, url: url,
        body: body?.onFailure { [self] error in state.withLock { $0.bodyFailure = error } })
      // A long transfer is not a reason to end the call. The limit applies to silence instead.
      engineRequest.idleTimeout = engineRequest.timeout
      engineRequest.timeout = nil
      let totalBytes =
        engineRequest.upload?.expectedLength ?? engineRequest.body.map { Int64($0.count) }
      engineRequest.onEvent = { [self] in
        receive(TransferEvent($0, url: url, totalBytes: totalBytes))
      }
      hold(engine.start(engineRequest) { [self] in receive(end: $0) })
    } catch {
      receive(end: .failure(error))
    }
  }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.demand += demand }
    deliver()
  }

  func cancel() {
    let (call, downstream) = state.withLock { $0.close() }
    call?.cancel()
    withExtendedLifetime(downstream) {}
  }

  // MARK: The engine's side

  private func hold(_ call: EngineCall) {
    let isOver = state.withLock { state in
      guard state.downstream != nil else { return true }
      // The call may have ended in the meantime; its end then waits for demand.
      if state.end == nil { state.call = call }
      return false
    }
    if isOver { call.cancel() } else { deliver() }
  }

  private func receive(_ event: TransferEvent) -> EngineFlow {
    state.withLock { $0.append(event) }
    deliver()
    return state.withLock { $0.flow() }
  }

  private func receive(end: Result<EngineResponse, TransportError>) {
    if case .success(let response) = end { tellMetrics?(response.metrics) }
    state.withLock { state in
      state.call = nil
      state.end =
        switch end {
        case .success: .finished
        case .failure(let fault):
          .failure(state.bodyFailure ?? RESTError(fault, request: summary))
        }
    }
    deliver()
  }

  // MARK: Delivering

  private func deliver() {
    while let step = state.withLock({ $0.next() }) {
      switch step {
      case .event(let event, let downstream):
        let demand = downstream.receive(event)
        state.withLock { $0.delivered(demand) }
      case .end(let completion, let downstream):
        downstream.receive(completion: completion)
      case .resume(let call):
        engine.resume(call)
        state.withLock { $0.delivered(.none) }
      case .ask(let readAhead):
        let isAhead = readAhead.isAhead { [weak self] in
          self?.state.withLock { $0.release() }
          self?.deliver()
        }
        state.withLock { state in
          if !isAhead { state.release() }
          state.delivered(.none)
        }
      }
    }
  }
}

extension TransferEvent {
  fileprivate init(_ event: EngineEvent, url: URL, totalBytes: Int64?) {
    switch event {
    case .sent(let count):
      self = .sent(TransferProgress(completedBytes: count, totalBytes: totalBytes))
    case .head(let head):
      self = .head(ResponseHead(head, url: url))
    case .chunk(let data):
      self = .chunk(data)
    }
  }
}
