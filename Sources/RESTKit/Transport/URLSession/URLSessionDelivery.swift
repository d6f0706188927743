import Streams

/// Delivers what comes of one call, one signal after another (C-1), on a thread that may be blocked.
///
/// Foundation calls the delegate of a session on one queue: a subscriber that was called there would
/// have every other call of the session wait for it.
final class URLSessionDelivery: Sendable {
  private let threads: URLSessionDeliveryThreads
  private let stop: @Sendable (EngineCall) -> Void
  private let mailbox: Lock<URLSessionMailbox>

  /// - Parameters:
  ///   - onEvent: Takes the response in pieces; nil where it comes whole.
  ///   - limit: How many bytes are kept for a subscriber that does not take them.
  ///   - threads: Where the call's subscriber runs.
  ///   - stop: Ends the task of a call, of which too much was kept.
  init(
    to onEvent: EngineEventHandler?, limit: Int, on threads: URLSessionDeliveryThreads,
    stop: @escaping @Sendable (EngineCall) -> Void
  ) {
    mailbox = Lock(URLSessionMailbox(to: onEvent, limit: limit))
    self.threads = threads
    self.stop = stop
  }

  /// Delivers an event, behind those that wait.
  func tell(_ event: EngineEvent, of call: EngineCall) {
    let (isTooMuch, isMyTurn) = mailbox.withLock { mailbox in
      (mailbox.append(event), mailbox.takeTurn())
    }
    if isTooMuch { stop(call) }
    if isMyTurn { start(call) }
  }

  /// Ends the call, behind all that waits.
  func end(_ result: Result<EngineResponse, TransportError>, of call: EngineCall) {
    let isMyTurn = mailbox.withLock { mailbox in
      mailbox.finish(result)
      return mailbox.takeTurn()
    }
    if isMyTurn { start(call) }
  }

  /// Lets go of all that waits, for a call that was cancelled: its subscriber may never return.
  func drop() {
    let released = mailbox.withLock { $0.drop() }
    withExtendedLifetime(released) {}
  }

  private func start(_ call: EngineCall) {
    threads.run { [self] in deliver(call) }
  }

  private func deliver(_ call: EngineCall) {
    while let item = mailbox.withLock({ $0.next() }) {
      switch item {
      case .event(let event, let onEvent):
        let flow = onEvent(event)
        if mailbox.withLock({ $0.note(flow, after: event) }) { stop(call) }
      case .end(let result, let onEvent):
        call.complete(result)
        withExtendedLifetime(onEvent) {}
      }
    }
  }
}
