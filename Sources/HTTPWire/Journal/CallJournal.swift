import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The journal of one call, which also informs an observer.
///
/// It is only written and shown. No decision depends on its content.
package final class CallJournal: Sendable {
  private struct State: Sendable {
    /// The subscriber's context.
    ///
    /// It is cleared at the end of the call, since a response keeps its journal.
    var context: SubscriptionContext
    var history = CallHistory()
    var attempts = 0
    var failure: String?
    var observer: CallObserver?
    var number = 0
    /// The start of the call on the observer's clock.
    var start: Duration?
    var isOver = false
    var instrumented: [Instrumented] = []

    /// Whether the last entry states the result of the call.
    ///
    /// A subscriber that has its value may cancel the rest.
    var hasOutcome: Bool {
      switch history.lastEntry?.content {
      case .event(.failed), .event(.decoded): true
      default: false
      }
    }

    /// - Returns: The actions to run without the lock.
    mutating func append(_ content: CallEntry.Content, at time: Duration) -> Appended {
      let entry = CallEntry(time: time, content: content)
      // Most calls have no observer, and then the entry is not copied.
      guard let observer else { return Appended(forgotten: history.append(entry), told: nil) }
      let event = entry.event(inCall: number)
      return Appended(forgotten: history.append(entry), told: (observer, event))
    }
  }

  /// The actions that follow a recorded event.
  private struct Appended {
    /// The entry to release without a lock, since releasing a user's body may run the user's code.
    let forgotten: CallEntry?
    /// The observer and the event to deliver, or nil if the call is not observed.
    let told: (observer: CallObserver, event: CallEvent)?
  }

  /// An instrument with its object for the call.
  private struct Instrumented: Sendable {
    let instrument: any CallInstrument
    let call: any InstrumentedCall
  }

  /// The context key of the journal of the call for which another call is made, such as a refresh.
  package enum ParentKey: SubscriptionContextKey {
    package static var defaultValue: CallJournal? { nil }
  }

  // It is not copyable, so that to read the time counts no reference.
  private struct Timing: ~Copyable, Sendable {
    let clock: CallClock
    let begin: Duration

    init(_ clock: CallClock) {
      self.clock = clock
      begin = clock.now
    }

    var elapsed: Duration { clock.now - begin }
  }

  private let ownTiming: Timing?
  private let state: Lock<State>

  /// - Parameters:
  ///   - clock: The clock of the events, or nil to use the clock of the call's observer.
  ///   - context: The context of the subscriber to the call's pipeline.
  package init(
    clock: CallClock? = nil, in context: SubscriptionContext = SubscriptionContext()
  ) {
    ownTiming = clock.map { Timing($0) }
    state = Lock(State(context: context))
  }

  /// The time since the call began, or zero without any clock.
  package var elapsed: Duration {
    switch ownTiming {
    case .some(let timing): return timing.elapsed
    case nil:
      let (observer, start) = state.withLock { ($0.observer, $0.start ?? .zero) }
      return observer.map { $0.clock.now - start } ?? .zero
    }
  }

  /// The number of attempts.
  ///
  /// Redirects do not count.
  package var attempts: Int { state.withLock { $0.attempts } }

  /// The last request that was built, before any redirect.
  package var request: RequestSummary? { state.withLock { $0.history }.built }

  var log: CallLog {
    let (released, log) = state.withLock { state in
      // A log is kept together with a failure, so it must not hold any bodies.
      let released = state.history.releaseRequests()
      let log = CallLog(
        number: state.number, start: state.start ?? begin, history: state.history,
        failure: state.failure)
      return (released, log)
    }
    withExtendedLifetime(released) {}
    return log
  }

  /// The start of the call on its own clock.
  private var begin: Duration {
    switch ownTiming {
    case .some(let timing): timing.begin
    case nil: .zero
    }
  }

  package func record(_ kind: consuming CallEvent.Kind) {
    append(.event(kind))
  }

  /// Records that a request was built.
  package func recordBuilt(_ request: URLRequest) {
    append(.built(request))
  }

  /// Records that a request is about to be sent, or that another call's exchange answers it.
  package func recordSent(attempt: Int, cause: CallCause, isJoined: Bool = false) {
    let time = elapsed
    let kind: CallEvent.Kind =
      isJoined ? .joined(attempt: attempt, cause: cause) : .sent(attempt: attempt, cause: cause)
    finish(
      state.withLock { state in
        state.attempts = max(state.attempts, attempt)
        return state.append(.event(kind), at: time)
      })
  }

  private func append(_ content: CallEntry.Content) {
    let time = elapsed
    finish(state.withLock { $0.append(content, at: time) })
  }

  /// Records a failure.
  ///
  /// - Parameters:
  ///   - name: One of few words, for programs: `401`, `timedOut`, `decoding`.
  ///   - reason: The reason in words, without any secret.
  func recordFailure(_ name: String, because reason: String) {
    state.withLock { $0.failure = name }
    record(.failed(reason))
  }

  /// Releases the requests, whose bodies may be large, and keeps their summaries.
  package func releaseRequests() {
    // Releasing a user's body may run the user's code.
    let released = state.withLock { $0.history.releaseRequests() }
    withExtendedLifetime(released) {}
  }

  /// Connects the first observer and delivers the events so far and from now on.
  ///
  /// Also begins the objects of its instruments for the call.
  ///
  /// - Parameter mayRepeat: Whether the call may send more than one request.
  /// - Returns: The instruments' objects for the call.
  package func report(to observer: CallObserver, mayRepeat: Bool) -> [any InstrumentedCall] {
    report(to: observer)
    return observer.isInstrumented ? begin(by: observer.instruments, mayRepeat: mayRepeat) : []
  }

  /// Connects the first observer and delivers the events so far and from now on.
  private func report(to observer: CallObserver) {
    // A retry and a session have their own clocks; pictures of several calls need a common one.
    let start = observer.clock.now - elapsed
    let events: [CallEvent] = state.withLock { state in
      guard state.observer == nil else { return [] }
      let number = observer.nextNumber()
      state.observer = observer
      state.number = number
      state.start = start
      return state.history.events(inCall: number)
    }
    for event in events { observer.tell(event) }
  }

  /// Records that the call sends nothing more; the first time only.
  ///
  /// - Parameters:
  ///   - failure: The failure that was passed on in place of a result. It is recorded unless it
  ///     already was.
  ///   - isCancelled: Whether the subscriber cancelled. A failure of a later stage also cancels the
  ///     stages upstream of it, and is recorded as that failure.
  package func end(failure: (any Error)? = nil, isCancelled: Bool = false) {
    let isUnhappy = failure != nil || isCancelled
    let (isFirst, hasOutcome) = state.withLock { state in
      defer { state.isOver = true }
      return (!state.isOver, isUnhappy && state.hasOutcome)
    }
    guard isFirst else { return }
    if isUnhappy, !hasOutcome {
      if let failure { record(failure) }
      if isCancelled { record(.cancelled) }
    }
    let time = elapsed
    // The instruments' objects stay: a refresh that this call began may send its first request
    // after the call has ended.
    let (ended, observer, instrumented, released) = state.withLock { state in
      defer { state.context = SubscriptionContext() }
      return (
        state.append(.event(.ended), at: time), state.observer, state.instrumented, state.context
      )
    }
    finish(ended)
    withExtendedLifetime(released) {}
    guard observer != nil || !instrumented.isEmpty else { return }
    let log = log
    for instrumented in instrumented { instrumented.call.end(log) }
    observer?.tell(log)
  }

  /// Begins the instruments' objects for the call, each once.
  ///
  /// If two requests are the first of a call at the same time, an instrument may begin two objects.
  /// The first object counts for both requests, and the other one ends at once.
  ///
  /// - Parameter mayRepeat: Whether the call may send more than one request.
  /// - Returns: The objects, in the order of the instruments.
  func begin(
    by instruments: [any CallInstrument], mayRepeat: Bool
  ) -> [any InstrumentedCall] {
    let (known, context) = state.withLock { ($0.instrumented, $0.context) }
    var new: [Instrumented] = []
    let calls = instruments.map { instrument -> any InstrumentedCall in
      if let known = known.first(where: { $0.instrument === instrument }) { return known.call }
      let parent = context[ParentKey.self]?.parent(by: instrument)
      let call = instrument.beginCall(
        CallBeginning(context: context, age: elapsed, mayRepeat: mayRepeat, parent: parent))
      new.append(Instrumented(instrument: instrument, call: call))
      return call
    }
    guard !new.isEmpty else { return calls }
    let (kept, spare) = state.withLock { [new] state in
      let spare = new.filter { one in
        state.isOver || state.instrumented.contains { $0.instrument === one.instrument }
      }
      if !state.isOver {
        state.instrumented += new.filter { one in
          !spare.contains { $0.instrument === one.instrument }
        }
      }
      return (state.instrumented, spare)
    }
    guard !spare.isEmpty else { return calls }
    for spare in spare { spare.call.end(log) }
    return zip(instruments, calls).map { instrument, call in
      kept.first { $0.instrument === instrument }?.call ?? call
    }
  }

  /// Returns an instrument's object for this call, as the parent of another call's object.
  ///
  /// The object is begun now if necessary; nil if the call has ended without one.
  private func parent(by instrument: any CallInstrument) -> (any InstrumentedCall)? {
    let (isOver, known) = state.withLock { ($0.isOver, $0.instrumented) }
    if isOver { return known.first { $0.instrument === instrument }?.call }
    return begin(by: [instrument], mayRepeat: true).first
  }

  /// Records the end of the pipeline, or with nil its cancellation; the first time only.
  package func end(with completion: Subscribers.Completion<any Error>?) {
    switch completion {
    case .finished: end()
    case .failure(let error): end(failure: error)
    case nil: end(isCancelled: true)
    }
  }

  private func finish(_ appended: Appended) {
    if let (observer, event) = appended.told { observer.tell(event) }
  }
}
