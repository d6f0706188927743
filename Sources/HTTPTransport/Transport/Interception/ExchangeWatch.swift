import HTTPWire
import Streams

/// The closures that watch one exchange, and what they have been told.
final class ExchangeWatch: Sendable {
  private struct State: Sendable {
    var heads: [@Sendable (ResponseHead) -> Void] = []
    var ends: [@Sendable (InterceptedExchange.End) -> Void] = []
    var head: ResponseHead?
    var metrics: ExchangeMetrics?
    var end: InterceptedExchange.End?
  }

  private let state = Lock(State())

  /// Whether a closure watches the exchange.
  var isUsed: Bool { state.withLock { !$0.heads.isEmpty || !$0.ends.isEmpty } }

  func onHead(_ tell: @escaping @Sendable (ResponseHead) -> Void) {
    state.withLock { state in
      if state.end == nil { state.heads.append(tell) }
    }
  }

  func onEnd(_ tell: @escaping @Sendable (InterceptedExchange.End) -> Void) {
    let end = state.withLock { state in
      if state.end == nil { state.ends.append(tell) }
      return state.end
    }
    if let end { tell(end) }
  }

  func note(_ head: ResponseHead) {
    let tellers = state.withLock { state in
      defer { state.heads = [] }
      state.head = head
      return state.heads
    }
    for tell in tellers { tell(head) }
  }

  func note(_ metrics: ExchangeMetrics) {
    state.withLock { $0.metrics = metrics }
  }

  func end(with completion: Subscribers.Completion<any Error>) {
    switch completion {
    case .failure(let error): end(.failed(error))
    case .finished:
      let (head, metrics) = state.withLock { ($0.head, $0.metrics) }
      let nothing = TransportError(
        kind: .connectionClosedBeforeResponse, mayHaveBeenProcessed: true)
      end(head.map { .answered($0, metrics: metrics) } ?? .failed(nothing))
    }
  }

  /// Ends the exchange.
  ///
  /// Only the first end counts.
  func end(_ end: InterceptedExchange.End) {
    let (tellers, released) = state.withLock { state in
      guard state.end == nil else { return (State().ends, State().heads) }
      defer { (state.ends, state.heads) = ([], []) }
      state.end = end
      return (state.ends, state.heads)
    }
    for tell in tellers { tell(end) }
    // Releasing a user's closure may run the user's code.
    withExtendedLifetime(released) {}
  }
}
