import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One exchange: it hands over the pieces of its script on demand, in virtual time.
final class LiveExchange: Subscription {
  typealias Downstream = AnySubscriber<TransferEvent, any Error>

  private struct State: Sendable {
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var pieces: ArraySlice<(delay: Duration, piece: LiveScript.Piece)> = []
    var status = 0
    var headers: HTTPHeaders = [:]
    /// Whether the next piece has arrived.
    var hasArrived = false
    var isDelivering = false
    var timer: (any Cancellable)?
  }

  let number: Int
  private let request: URLRequest
  private let network: LiveNetwork
  private let state: Lock<State>

  init(_ number: Int, _ request: URLRequest, for downstream: Downstream, in network: LiveNetwork) {
    self.number = number
    self.request = request
    self.network = network
    state = Lock(State(downstream: downstream))
  }

  var isRunning: Bool { state.withLock { $0.downstream != nil } }

  func play(_ script: LiveScript) {
    state.withLock { state in
      state.pieces = script.pieces[...]
      state.status = script.status ?? 0
      state.headers = script.headers
    }
    awaitNext()
    deliver()
  }

  /// The connection is lost.
  func reset() {
    let timer = state.withLock { state in
      state.pieces = [
        (.zero, .end(.fault(.connectionReset, mayHaveBeenProcessed: true)))
      ]
      state.hasArrived = true
      return state.timer.take()
    }
    timer?.cancel()
    deliver()
  }

  /// Whether nothing comes any more.
  var isSilent: Bool {
    state.withLock { state in
      if case .end(.silence)? = state.pieces.first?.piece { true } else { false }
    }
  }

  func fail(_ fault: TransportError) {
    guard let downstream = take(), network.end(self, .fault(fault.kind)) else { return }
    downstream.receive(
      completion: .failure(RESTError(fault, request: RequestSummary(request))))
  }

  private func take() -> Downstream? {
    let (downstream, timer) = state.withLock { ($0.downstream.take(), $0.timer.take()) }
    timer?.cancel()
    return downstream
  }

  func cancel() {
    guard let downstream = take() else { return }
    withExtendedLifetime(downstream) { _ = network.end(self, .cancelled) }
  }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.demand += demand }
    deliver()
  }

  /// Waits for the next piece.
  private func awaitNext() {
    let limit: Duration? =
      request.timeoutInterval.isFinite && request.timeoutInterval > 0
      ? .seconds(request.timeoutInterval) : nil
    let isQuiet = network.isQuiet
    let delay = state.withLock { state -> Duration? in
      guard state.downstream != nil, let next = state.pieces.first else { return nil }
      guard case .end(.silence) = next.piece else {
        if next.delay == .zero { state.hasArrived = true }
        return next.delay
      }
      if isQuiet {
        state.pieces = [(.zero, .end(.fault(.connectionReset, mayHaveBeenProcessed: true)))]
        state.hasArrived = true
        return .zero
      }
      guard let limit else { return nil }
      state.pieces = [(limit, .end(.fault(.timedOut, mayHaveBeenProcessed: true)))]
      return limit
    }
    guard let delay, delay > .zero else { return }
    let timer = network.scheduler.schedule(after: delay) { [weak self] in
      guard let self else { return }
      state.withLock { $0.hasArrived = true }
      deliver()
    }
    state.withLock { $0.timer = timer }
  }

  private func deliver() {
    while let (downstream, piece) = next() {
      switch piece {
      case .end(let ending):
        _ = take()
        finish(ending, downstream)
        return
      case .head: hand(head, downstream)
      case .chunk(let bytes):
        network.noteHanded(bytes.count, by: self)
        hand(.chunk(Data(bytes)), downstream)
        network.checkPromptness(of: self)
      }
    }
  }

  private var head: TransferEvent {
    let (status, headers) = state.withLock { ($0.status, $0.headers) }
    network.noteHead(of: self)
    let url = request.url ?? URL(fileURLWithPath: "/")
    return .head(ResponseHead(url: url, statusCode: status, headers: headers))
  }

  /// The piece to hand over now; nil if there is none, or another one is just handed over.
  private func next() -> (Downstream, LiveScript.Piece)? {
    state.withLock { state in
      guard !state.isDelivering, state.hasArrived, let downstream = state.downstream,
        let piece = state.pieces.first?.piece
      else { return nil }
      if case .end = piece {
      } else {
        guard state.demand > .none else { return nil }
        state.demand -= 1
      }
      state.pieces = state.pieces.dropFirst()
      state.hasArrived = false
      state.isDelivering = true
      return (downstream, piece)
    }
  }

  private func hand(_ event: TransferEvent, _ downstream: Downstream) {
    let more = downstream.receive(event)
    state.withLock { state in
      state.demand += more
      state.isDelivering = false
    }
    awaitNext()
  }

  private func finish(_ ending: LiveScript.Ending, _ downstream: Downstream) {
    switch ending {
    case .silence: break
    case .finish:
      guard network.end(self, .finished) else { return }
      downstream.receive(completion: .finished)
      network.noteDelivered(self)
    case .fault(let kind, let mayHaveBeenProcessed):
      guard network.end(self, .fault(kind)) else { return }
      let fault = TransportError(kind: kind, mayHaveBeenProcessed: mayHaveBeenProcessed)
      downstream.receive(
        completion: .failure(RESTError(fault, request: RequestSummary(request))))
    }
  }
}
