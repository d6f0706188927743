import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes down what happens in one call, and tells an observer of it.
///
/// It is written to, and shown; nothing is decided by what stands in it.
final class CallJournal: Sendable {
  private struct State: Sendable {
    /// What the subscriber gave; nothing once the call has ended, since a response keeps its journal.
    var context: SubscriptionContext
    var history = CallHistory()
    var attempts = 0
    var failure: String?
    var observer: CallObserver?
    var number = 0
    /// When the call began, on the observer's clock.
    var start: Duration?
    var isOver = false
    var instrumented: [Instrumented] = []

    /// Whether the last that happened says what came of the call: who has a value may cancel the rest.
    var hasOutcome: Bool {
      switch history.lastEntry?.content {
      case .event(.failed), .event(.decoded): true
      default: false
      }
    }

    /// - Returns: What is to be done without the lock.
    mutating func append(_ content: CallEntry.Content, at time: Duration) -> Appended {
      let entry = CallEntry(time: time, content: content)
      return Appended(
        forgotten: history.append(entry),
        told: observer.map { ($0, entry.event(inCall: number)) })
    }
  }

  /// What follows where something was recorded.
  private struct Appended {
    /// What is to be released without a lock: to release a user's body may call the user.
    let forgotten: CallEntry?
    /// Who is to be told what; nil where nobody observes.
    let told: (observer: CallObserver, event: CallEvent)?
  }

  /// What an instrument has of the call.
  private struct Instrumented: Sendable {
    let instrument: any CallInstrument
    let call: any InstrumentedCall
  }

  /// In the context of a call that is made for another one, as a refresh is: that one's journal.
  enum ParentKey: SubscriptionContextKey {
    static var defaultValue: CallJournal? { nil }
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
  private let state: Lock<State>

  /// - Parameters:
  ///   - clock: What times the events; nil where that is for who observes the call to say.
  ///   - context: That of the subscriber to the call's pipeline.
  init(clock: (any Scheduler)? = nil, in context: SubscriptionContext = SubscriptionContext()) {
    ownTiming = clock.map { Timing($0) }
    state = Lock(State(context: context))
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

  /// The request that was made last, before it was redirected anywhere.
  var request: RequestSummary? { state.withLock { $0.history }.built }

  var log: CallLog {
    let (released, log) = state.withLock { state in
      // A log is kept by whoever has the failure: no bodies with it.
      let released = state.history.settle()
      let log = CallLog(
        number: state.number, start: state.start ?? begin, history: state.history,
        failure: state.failure)
      return (released, log)
    }
    withExtendedLifetime(released) {}
    return log
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

  /// Records that a request is about to leave, or that another call's exchange answers it.
  func recordSent(attempt: Int, cause: CallCause, isJoined: Bool = false) {
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

  /// Records that there is no result; of an error that does not say what may be told of it only the
  /// type, since its text may hold anything.
  func record(_ error: any Error) {
    let type = "\(Swift.type(of: error))"
    let (name, reason) =
      (error as? any TellableFailure).map { ($0.failureClass, $0.reason) } ?? (type, type)
    state.withLock { $0.failure = name }
    record(.failed(reason))
  }

  /// Lets go of the requests, whose bodies may be large, and keeps what is told of them.
  func settle() {
    // To release a user's body may call the user.
    let released = state.withLock { $0.history.settle() }
    withExtendedLifetime(released) {}
  }

  /// Tells an observer of what happened so far, and then of what happens, the first one only; and begins
  /// what its instruments have of the call.
  ///
  /// - Parameter mayRepeat: Whether the call may send more than one request.
  /// - Returns: What the instruments have of it.
  func report(to observer: CallObserver, mayRepeat: Bool) -> [any InstrumentedCall] {
    report(to: observer)
    return observer.isInstrumented ? begin(by: observer.instruments, mayRepeat: mayRepeat) : []
  }

  /// Tells an observer of what happened so far, and then of what happens; the first one only.
  private func report(to observer: CallObserver) {
    // A retry and a session have clocks of their own; pictures of several calls need one.
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
    finish(state.withLock { $0.append(.event(.ended), at: time) })
    // What instruments have stays: a refresh that this call began may come to its first request after its end.
    let (observer, instrumented, released) = state.withLock { state in
      defer { state.context = SubscriptionContext() }
      return (state.observer, state.instrumented, state.context)
    }
    withExtendedLifetime(released) {}
    guard observer != nil || !instrumented.isEmpty else { return }
    let log = log
    for instrumented in instrumented { instrumented.call.end(log) }
    observer?.tell(log)
  }

  /// Begins what instruments have of the call, each once.
  ///
  /// Where two parts of a call come to their first requests at the same time, the call that an instrument
  /// began first counts for both, and the other one ends at once.
  ///
  /// - Parameter mayRepeat: Whether the call may send more than one request.
  /// - Returns: What the instruments have of it, in their order.
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

  /// What an instrument has of the call, for another one that is made for it: begun now unless it was
  /// already; nil where the call ended without.
  private func parent(by instrument: any CallInstrument) -> (any InstrumentedCall)? {
    let (isOver, known) = state.withLock { ($0.isOver, $0.instrumented) }
    if isOver { return known.first { $0.instrument === instrument }?.call }
    return begin(by: [instrument], mayRepeat: true).first
  }

  /// Records how the pipeline ended, or with nil that it was cancelled; the first time only.
  func end(with completion: Subscribers.Completion<any Error>?) {
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
