import Streams

/// One subscription to a pipeline: what its retries, refreshes and redirects share.
///
/// The outermost of them makes it and gives it to everything upstream in the subscription's context;
/// so a request is counted once, whoever sends it again.
final class LogicalCall: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: LogicalCall? { nil }
  }

  private struct State: Sendable {
    var attempts = 0
    var nextCause = CallCause.first
    var hasRefreshed = false
    var lastRequest: SentRequest?
    var events: [CallEvent] = []
  }

  private let clock: any Scheduler
  private let begin: Duration
  private let state = Lock(State())

  /// - Parameter clock: What times the events.
  init(clock: any Scheduler) {
    self.clock = clock
    begin = clock.now
  }

  /// The call that a context belongs to, or a new one.
  static func current(in context: SubscriptionContext, clock: any Scheduler) -> LogicalCall {
    context[Key.self] ?? LogicalCall(clock: clock)
  }

  /// The time since the call began.
  var elapsed: Duration { clock.now - begin }

  /// How many times a request was sent: redirects are not counted.
  var attempts: Int { state.withLock { $0.attempts } }

  /// What was sent last.
  var lastRequest: SentRequest? { state.withLock { $0.lastRequest } }

  var log: CallLog { CallLog(events: state.withLock { $0.events }) }

  func record(_ kind: CallEvent.Kind) {
    let event = CallEvent(time: elapsed, kind: kind)
    state.withLock { $0.events.append(event) }
  }

  /// Says why the next request will be sent; the first says it by itself.
  func prepareNext(cause: CallCause) {
    state.withLock { $0.nextCause = cause }
  }

  /// Counts a request that is about to be sent.
  ///
  /// - Parameter isRedirected: Whether a redirect led to it, which is no attempt of its own.
  /// - Returns: Which attempt this is, from 1.
  @discardableResult
  func beginExchange(_ request: SentRequest, isRedirected: Bool) -> Int {
    let time = elapsed
    return state.withLock { state in
      if !isRedirected { state.attempts += 1 }
      let cause = isRedirected ? .redirect : state.nextCause
      state.lastRequest = request
      state.events.append(
        CallEvent(time: time, kind: .sent(attempt: state.attempts, cause: cause)))
      return state.attempts
    }
  }

  /// Takes the one refresh that a call has; false if it was taken.
  func takeRefresh() -> Bool {
    state.withLock { state in
      defer { state.hasRefreshed = true }
      return !state.hasRefreshed
    }
  }
}
