import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One subscription to a pipeline: what its retries, refreshes and redirects share.
///
/// The outermost of them makes it and gives it to everything upstream in the subscription's context;
/// so a request is counted once, whoever sends it again.
final class LogicalCall: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: LogicalCall? { nil }
  }

  private struct State: Sendable {
    var entries: [CallEntry] = []
    var attempts = 0
    var nextCause = CallCause.first
    var hasRefreshed = false
    var failure: String?
    var observer: CallObserver?
    var number = 0
    /// When the call began, on the observer's clock.
    var start: Duration?
    var isOver = false

    init() {
      // As many as a call has that nobody sends again.
      entries.reserveCapacity(4)
    }

    var events: [CallEvent] { entries.map { $0.event(inCall: number) } }

    var exchanges: [SentRequest] { entries.compactMap(\.exchange) }

    /// Whether the last that happened says what came of the call: who has a value may cancel the rest.
    var hasOutcome: Bool {
      switch entries.last?.content {
      case .event(.failed), .event(.decoded): true
      default: false
      }
    }

    /// - Returns: What is to be told without the lock; nil where nobody observes.
    mutating func append(_ content: CallEntry.Content, at time: Duration) -> Told? {
      let entry = CallEntry(time: time, content: content)
      defer { entries.append(entry) }
      return observer.map { Told(event: entry.event(inCall: number), observer: $0) }
    }
  }

  private struct Told {
    let event: CallEvent
    let observer: CallObserver
  }

  // Not copyable: to copy a clock whose type is hidden takes longer than to read it.
  private struct Timing: ~Copyable, Sendable {
    let clock: any Scheduler
    let begin: Duration

    init(_ clock: any Scheduler) {
      self.clock = clock
      begin = clock.now
    }

    var elapsed: Duration { clock.now - begin }
  }

  private let ownTiming: Timing?
  private let state = Lock(State())
  let idempotencyKeys = Lock(IdempotencyKeys())

  /// - Parameter clock: What times the events; nil where that is for who observes the call to say.
  init(clock: (any Scheduler)? = nil) {
    ownTiming = clock.map { Timing($0) }
  }

  /// The time since the call began; none where nobody says.
  var elapsed: Duration {
    switch ownTiming {
    case .some(let timing): return timing.elapsed
    case nil:
      let (observer, start) = state.withLock { ($0.observer, $0.start ?? .zero) }
      return observer.map { $0.clock.now - start } ?? .zero
    }
  }

  /// How many times a request was sent: redirects are not counted.
  var attempts: Int { state.withLock { $0.attempts } }

  /// What was sent since a retry began, first to last, redirects included.
  var exchanges: [SentRequest] { state.withLock { $0.exchanges } }

  /// Which attempt was sent last, redirects included, and why; nil before the first.
  var lastSending: (attempt: Int, cause: CallCause)? {
    state.withLock { state in
      for entry in state.entries.reversed() {
        if case .sent(_, let attempt, let cause) = entry.content { return (attempt, cause) }
      }
      return nil
    }
  }

  /// The request that was made last, before it was redirected anywhere.
  var request: RequestSummary? {
    for case .built(let request) in log.events.reversed().map(\.kind) { return request }
    return nil
  }

  /// Whether the next request is sent because of a refresh.
  var isRefreshing: Bool { state.withLock { $0.nextCause == .refresh } }

  /// What was sent last.
  var lastRequest: SentRequest? {
    state.withLock { $0.entries.last { $0.exchange != nil }?.exchange }
  }

  var log: CallLog {
    let state = state.withLock { $0 }
    return CallLog(
      number: state.number, start: state.start ?? begin, events: state.events,
      failure: state.failure)
  }

  /// When the call began, on its own clock.
  private var begin: Duration {
    switch ownTiming {
    case .some(let timing): timing.begin
    case nil: .zero
    }
  }

  func record(_ kind: CallEvent.Kind) {
    append(.event(kind))
  }

  /// Records that a request was made.
  func recordBuilt(_ request: URLRequest) {
    append(.built(request))
  }

  private func append(_ content: CallEntry.Content) {
    let time = elapsed
    tell(state.withLock { $0.append(content, at: time) })
  }

  /// Records that there is no result; of an error that is not RESTKit's only its type, since its text
  /// may hold anything.
  func record(_ error: any Error) {
    let type = "\(Swift.type(of: error))"
    let (name, reason) = (error as? RESTError).map { ($0.kind.name, $0.reason) } ?? (type, type)
    state.withLock { $0.failure = name }
    record(.failed(reason))
  }

  /// Tells an observer of what happened so far, and then of what happens; the first one only.
  func report(to observer: CallObserver) {
    // A retry and a session have clocks of their own; pictures of several calls need one.
    let start = observer.clock.now - elapsed
    let events: [CallEvent] = state.withLock { state in
      guard state.observer == nil else { return [] }
      let number = observer.nextNumber()
      state.observer = observer
      state.number = number
      state.start = start
      return state.events
    }
    for event in events { observer.tell(event) }
  }

  /// Records that nothing more is sent; the first time only.
  ///
  /// - Parameters:
  ///   - failure: What was handed on in the place of a result; recorded unless it was already.
  ///   - isCancelled: Whether nobody wants the result. A failure of a later stage cancels the stages
  ///     before it, and is told as what it is.
  func end(failure: (any Error)? = nil, isCancelled: Bool = false) {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    guard isFirst else { return }
    if failure != nil || isCancelled, !state.withLock({ $0.hasOutcome }) {
      if let failure { record(failure) }
      if isCancelled { record(.cancelled) }
    }
    let time = elapsed
    guard let told = state.withLock({ $0.append(.event(.ended), at: time) }) else { return }
    tell(told)
    told.observer.tell(log)
  }

  /// Records how the pipeline ended, or with nil that it was cancelled; the first time only.
  func end(with completion: Subscribers.Completion<any Error>?) {
    switch completion {
    case .finished: end()
    case .failure(let error): end(failure: error)
    case nil: end(isCancelled: true)
    }
  }

  private func tell(_ told: Told?) {
    if let told { told.observer.tell(told.event) }
  }

  /// Says why the next request will be sent; the first says it by itself.
  func prepareNext(cause: CallCause) {
    state.withLock { $0.nextCause = cause }
  }

  /// Notes that a retry policy begins the pipeline from its start.
  func beginPipeline(by policy: RetryPolicy) {
    // To release a user's body may call the user.
    let released = state.withLock { state in
      let entries = state.entries
      for index in state.entries.indices { state.entries[index].dropRequest() }
      return entries
    }
    withExtendedLifetime(released) {}
    idempotencyKeys.withLock { $0.beginAttempt(by: policy) }
  }

  /// Counts a request that is about to be sent.
  ///
  /// - Parameter isRedirected: Whether a redirect led to it, which is no attempt of its own.
  /// - Returns: Which attempt this is, from 1.
  @discardableResult
  func beginExchange(_ request: SentRequest, isRedirected: Bool) -> Int {
    let time = elapsed
    let (attempt, told) = state.withLock { state in
      if !isRedirected { state.attempts += 1 }
      let cause = isRedirected ? .redirect : state.nextCause
      return (
        state.attempts,
        state.append(.sent(request, attempt: state.attempts, cause: cause), at: time)
      )
    }
    tell(told)
    return attempt
  }

  /// Whether the refresh that a call has was taken.
  var hasRefreshed: Bool { state.withLock { $0.hasRefreshed } }

  /// Takes the one refresh that a call has; false if it was taken.
  func takeRefresh() -> Bool {
    state.withLock { state in
      defer { state.hasRefreshed = true }
      return !state.hasRefreshed
    }
  }
}
