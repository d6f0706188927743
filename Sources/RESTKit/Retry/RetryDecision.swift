import Foundation
import Streams

/// The decisions of a retry.
struct RetryDecision<Output: Sendable>: RepeatDecision {
  let call: RepeatedCall
  let request: AnyPublisher<Output, any Error>
  /// Whether an attempt may be cut off.
  let isTimed: Bool
  /// The record of a stream's delivered values, which must not be delivered twice; nil if an
  /// attempt may begin again.
  let delivery: StreamDelivery<Output>?
  /// A closure that returns the outcome of an attempt from a value and the time of day, or nil if
  /// the value does not end the attempt.
  let outcome: @Sendable (Output, () -> Date) -> AttemptOutcome?

  func attempt(_ number: Int) -> AnyPublisher<Output, any Error> {
    guard isTimed, let limit = call.timeLimit else { return request }
    // A request without time left would be sent for nothing, and it may be a POST.
    if number == 1, call.isTimeOver {
      return Fail(error: call.timeout(after: limit)).eraseToAnyPublisher()
    }
    return Expiring(request, after: limit, scheduler: call.policy.scheduler) { [call] in
      call.timeout(after: limit)
    }
    .eraseToAnyPublisher()
  }

  func outcome(of value: Output) -> AttemptOutcome? {
    let outcome = outcome(value) { call.policy.wallClock() }
    if let outcome, delivery != nil, call.rule.isTransient(outcome) { call.noteShown(outcome) }
    return outcome
  }

  func outcome(of end: Subscribers.Completion<any Error>) -> AttemptOutcome? {
    guard case .failure(let error) = end else { return nil }
    if delivery?.isReplaced(by: error) == true { return .replaced }
    if let shown = call.outcome(of: error) { return shown }
    let outcome = AttemptOutcome(error, now: call.policy.wallClock())
    // Another attempt would have no more time.
    guard !((error as? RESTError)?.underlyingError is CallDeadlineError) else { return outcome }
    return outcome.judged(by: call.policy, from: .failure(error))
  }

  func step(after outcome: AttemptOutcome) -> RepeatStep {
    guard call.rule.isTransient(outcome) else {
      if case .status = outcome.plain { call.noteSuccess() }
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
    call.restartCount()
    // What counts anew costs anew. Without a rule to resume, the budget is that of all calls.
    if delivery.isResumable { call.policy.budget?.fill() }
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
