import Foundation
import Streams

/// The decisions of a retry.
struct RetryDecision<Output: Sendable>: RepeatDecision {
  let call: RepeatedCall
  let request: AnyPublisher<Output, any Error>
  /// Whether an attempt may be cut off before its first value.
  let isTimed: Bool
  /// The record of a stream's delivered values, which must not be delivered twice; nil if an
  /// attempt may begin again.
  let delivery: StreamDelivery<Output>?
  /// A closure that returns the outcome of an attempt from a value and the time of day, or nil if
  /// the value does not end the attempt; nil if only the end shows the outcome.
  let outcome: (@Sendable (Output, () -> Date) -> AttemptOutcome?)?

  func attempt(_ number: Int) -> AnyPublisher<Output, any Error> {
    guard isTimed, let limit = call.timeLimit else { return request }
    // A request without time left would be sent for nothing, and it may be a POST.
    if number == 1, call.isTimeOver {
      return Fail(error: call.timeout(after: limit)).eraseToAnyPublisher()
    }
    return Expiring(
      request, after: limit, scheduler: call.limitScheduler,
      // Nobody knows how long a file takes.
      unless: { [call] in call.sent.last?.isInPieces == true }
    ) { [call] in
      call.timeout(after: limit)
    }
    .eraseToAnyPublisher()
  }

  func outcome(of value: Output) -> AttemptOutcome? {
    let response = value as? RESTResponse ?? (value as? UploadEvent)?.response
    var outcome = outcome?(value) { call.policy.wallClock() }
    if let response {
      outcome = outcome?.reading(response, by: call.policy)
        .judged(by: call.policy, from: .success(response))
    }
    return outcome
  }

  func outcome(of end: Subscribers.Completion<any Error>) -> AttemptOutcome? {
    guard case .failure(let error) = end else { return outcome == nil ? .ended : nil }
    if delivery?.isReplaced(by: error) == true { return .replaced }
    let outcome = AttemptOutcome(
      ofCall: error, pause: call.logical.refreshPause, now: call.policy.wallClock()
    )
    .reading(error, by: call.policy)
    // Another attempt would have no more time.
    guard !((error as? RESTError)?.underlyingError is CallDeadlineError) else { return outcome }
    return outcome.judged(by: call.policy, from: .failure(error))
  }

  func step(after outcome: AttemptOutcome) -> RepeatStep {
    guard call.rule.isTransient(outcome) else {
      switch outcome.plain {
      case .status, .ended: call.noteSuccess()
      case .fault, .tokenNotRenewed, .judged, .replaced, .otherFailure: break
      }
      return .deliver
    }
    if let delivery, !delivery.canGoOn { return .stop(.partlyDelivered) }
    if outcome == .replaced { delivery?.beginAgain() }
    let (sent, spent, timeLeft) = (call.sent, call.spent, call.timeLeft)
    return call.drawing { generator in
      call.rule.decision(
        on: outcome, of: sent, attempts: spent.attempts, elapsed: spent.elapsed,
        timeLeft: timeLeft, using: &generator)
    }
  }

  func note(_ value: Output) {
    guard let delivery, delivery.note(value) else { return }
    // What is not requested again counts no further.
    guard delivery.isResumable else { return }
    call.restartCount()
    // What counts anew costs anew.
    call.policy.budget?.fill()
  }
}

extension RepeatedCall {
  /// The time limit of an attempt that begins; nil for no limit.
  fileprivate var timeLimit: Duration? {
    guard let totalTime = policy.totalTime else { return policy.attemptTimeout }
    let left = max(totalTime - logical.elapsed, .zero)
    return min(policy.attemptTimeout ?? left, left)
  }

  /// Whether the call has used all its time.
  ///
  /// Before the first attempt, a session may have waited for a token. For a retry, the time was
  /// checked before its wait.
  fileprivate var isTimeOver: Bool {
    guard let totalTime = policy.totalTime else { return false }
    let elapsed = logical.elapsed
    return elapsed > .zero && elapsed >= totalTime
  }

  /// The failure of an attempt that took too long.
  fileprivate func timeout(after limit: Duration) -> RESTError {
    let property = limit == policy.attemptTimeout ? "attemptTimeout" : "totalTime"
    let fault = TransportError(
      kind: .timedOut, detail: "RetryPolicy.\(property)", mayHaveBeenProcessed: !sent.isEmpty)
    let error = RESTError(
      .transport(fault.kind), reason: fault.reason, remedy: fault.remedy,
      request: journal.request, underlyingError: fault)
    journal.record(error)
    return error
  }
}
