import Streams

/// The delivery of one call's signals, one after another (C-1), on a thread that the subscriber may block.
///
/// Foundation calls a session's delegate on one queue. A subscriber on that queue would delay every other
/// call of the session.
final class URLSessionDelivery: Sendable {
  private let threads: URLSessionDeliveryThreads
  private let stop: @Sendable (EngineCall) -> Void
  private let mailbox: Lock<URLSessionMailbox>

  /// - Parameters:
  ///   - onEvent: The handler for the response in pieces, or nil for a whole response.
  ///   - limit: The maximum number of bytes kept for a subscriber that does not take them.
  ///   - threads: The threads for the call's subscriber.
  ///   - stop: Ends the task of a call for which too many bytes were kept.
  init(
    to onEvent: EngineEventHandler?, limit: Int, on threads: URLSessionDeliveryThreads,
    stop: @escaping @Sendable (EngineCall) -> Void
  ) {
    mailbox = Lock(URLSessionMailbox(to: onEvent, limit: limit))
    self.threads = threads
    self.stop = stop
  }

  /// Delivers an event after those that wait.
  func tell(_ event: EngineEvent, of call: EngineCall) {
    let (isTooMuch, isMyTurn) = mailbox.withLock { mailbox in
      (mailbox.append(event), mailbox.takeTurn())
    }
    if isTooMuch { stop(call) }
    if isMyTurn { start(call) }
  }

  /// Ends the call after all waiting events.
  func end(_ result: Result<EngineResponse, TransportError>, of call: EngineCall) {
    let isMyTurn = mailbox.withLock { mailbox in
      mailbox.finish(result)
      return mailbox.takeTurn()
    }
    if isMyTurn { start(call) }
  }

  /// Releases all waiting events of a cancelled call, whose subscriber may never return.
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
