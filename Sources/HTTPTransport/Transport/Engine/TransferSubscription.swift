import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A subscription to one call of an engine in pieces, whose events are in an `EventBuffer`.
final class TransferSubscription: Subscription {
  private struct State {
    var call: EngineCall?
    /// Whether it has ended or was cancelled.
    var isOver = false
    /// The failure of the body's own publisher, which tells more than the fault that follows.
    var bodyFailure: (any Error)?
  }

  private let engine: any HTTPEngine
  private let request: URLRequest
  private let body: RequestBody?
  private let isUrgent: Bool
  private let tellMetrics: TransferMetrics.Value
  private let look: LastLook?
  private let end: Ending
  private let events: EventBuffer
  private let state = Lock(State())

  /// Tells the subscriber the end of the call.
  private struct Ending {
    let tell: @Sendable (Subscribers.Completion<any Error>) -> Void
  }

  init(
    engine: any HTTPEngine, request: URLRequest, body: RequestBody?,
    downstream: some Subscriber<TransferEvent, any Error>
  ) {
    self.engine = engine
    self.request = request
    self.body = body
    isUrgent = downstream.context[UrgentExchange.self]
    tellMetrics = downstream.context[TransferMetrics.self]
    look = downstream.context[LastLook.Key.self]
    end = Ending { downstream.receive(completion: $0) }
    let totalBytes = body == nil ? request.httpBody.map { Int64($0.count) } : body?.expectedLength
    events = EventBuffer(readAhead: downstream.context[ReadAheadKey.self]) { [url = request.url] in
      // A request without a URL has no events.
      TransferEvent($0, url: url, totalBytes: totalBytes).map { downstream.receive($0) } ?? .none
    }
  }

  func start() {
    guard !state.withLock({ $0.isOver }) else { return }
    do throws(TransportError) {
      var engineRequest = try EngineRequest(
        request, url: try request.target(),
        body: body?.onFailure { [self] error in state.withLock { $0.bodyFailure = error } })
      // A long transfer is not a reason to end the call. The limit applies to silence instead.
      engineRequest.idleTimeout = engineRequest.timeout
      engineRequest.timeout = nil
      engineRequest.events = events
      engineRequest.isUrgent = isUrgent
      if let look { engineRequest.lastLook = (look, request) }
      hold(engine.start(engineRequest) { [self] in receive($0) })
    } catch {
      let call = EngineCall(completion: { [self] in receive($0) }, onCancel: { _ in })
      hold(call)
      call.complete(.failure(error))
    }
  }

  func request(_ demand: Subscribers.Demand) {
    events.request(demand)
  }

  func cancel() {
    let released = events.close()
    let call = state.withLock { state in
      state.isOver = true
      return state.call.take()
    }
    call?.cancel()
    withExtendedLifetime(released) {}
  }

  private func hold(_ call: EngineCall) {
    let isOver = state.withLock { state in
      if !state.isOver { state.call = call }
      return state.isOver
    }
    if isOver { call.cancel() }
  }

  private func receive(_ result: Result<EngineResponse, TransportError>) {
    // A call that never began has not closed it.
    let released = events.close()
    let bodyFailure = state.withLock { state in
      state.isOver = true
      state.call = nil
      return state.bodyFailure
    }
    switch result {
    case .success(let response):
      tellMetrics?(response.metrics)
      end.tell(.finished)
    case .failure(let fault):
      end.tell(.failure(RESTError.failure(bodyFailure ?? fault, of: request)))
    }
    withExtendedLifetime(released) {}
  }
}

extension TransferEvent {
  /// Returns nil for a head without a URL.
  fileprivate init?(_ event: EngineEvent, url: URL?, totalBytes: Int64?) {
    switch event {
    case .sent(let count):
      self = .sent(TransferProgress(completedBytes: count, totalBytes: totalBytes))
    case .head(let head):
      guard let url else { return nil }
      self = .head(ResponseHead(head, url: url))
    case .chunk(let data):
      self = .chunk(data)
    }
  }
}
