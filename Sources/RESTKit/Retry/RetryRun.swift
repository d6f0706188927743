import Foundation
import Streams

/// One subscription to a pipeline that is retried: decides, and remembers what it decided.
final class RetryRun: Sendable {
  private struct State: Sendable {
    var generator: any RandomNumberGenerator & Sendable
    var attempts = 0
    var wait = Duration.zero
  }

  private let rule: RetryRule
  let call: LogicalCall
  private let state: Lock<State>

  init(_ policy: RetryPolicy, call: LogicalCall) {
    rule = RetryRule(policy: policy)
    self.call = call
    state = Lock(State(generator: rule.policy.generator))
  }

  var scheduler: any Scheduler { rule.policy.scheduler }

  /// The wait before the next attempt.
  var wait: Duration { state.withLock { $0.wait } }

  /// Notes that an attempt begins.
  ///
  /// - Returns: How long it may take; nil for any time.
  func beginAttempt() -> Duration? {
    let isRetry = state.withLock { state in
      state.attempts += 1
      return state.attempts > 1
    }
    if isRetry { call.prepareNext(cause: .retry) }
    call.beginPipeline(makingKeysWith: rule.policy.keyMaker)
    guard let totalTime = rule.policy.totalTime else { return rule.policy.attemptTimeout }
    let left = max(totalTime - call.elapsed, .zero)
    return min(rule.policy.attemptTimeout ?? left, left)
  }

  /// Whether a call has taken all its time before its first attempt.
  ///
  /// A session may have waited for a token. Of a retry that was said before the wait for it.
  var isTimeOver: Bool {
    guard let totalTime = rule.policy.totalTime, state.withLock({ $0.attempts }) == 1 else {
      return false
    }
    let elapsed = call.elapsed
    return elapsed > .zero && elapsed >= totalTime
  }

  /// The failure of an attempt that took too long.
  func timeout(after limit: Duration) -> RESTError {
    let property = limit == rule.policy.attemptTimeout ? "attemptTimeout" : "totalTime"
    let fault = TransportError(
      kind: .timedOut, detail: "RetryPolicy.\(property)",
      mayHaveBeenProcessed: !call.sentRequests.isEmpty)
    let error = RESTError(
      .transport(fault.kind), reason: fault.reason, remedy: fault.remedy,
      request: call.journal.request, underlyingError: fault)
    call.journal.record(error)
    return error
  }

  /// The time of day.
  var now: Date { rule.policy.wallClock() }

  /// Decides on the failure of an attempt.
  func shouldRetry(after error: any Error) -> Bool {
    shouldRetry(after: AttemptOutcome(error, now: now))
  }

  /// Gives back to the budget, where there is anything to give back: to take an address apart costs
  /// more than the rest of a retry that is not needed.
  private func noteSuccess() {
    guard let budget = rule.policy.budget, !budget.isFull,
      let host = call.sentRequests.first?.origin
    else { return }
    budget.noteSuccess(of: host)
  }

  /// Decides, and where there is another attempt takes it from the budget and notes its wait.
  func shouldRetry(after outcome: AttemptOutcome) -> Bool {
    if case .status = outcome, !rule.isTransient(outcome) {
      noteSuccess()
      return false
    }
    let sent = call.sentRequests
    // A user's generator runs without the lock; signals come one at a time.
    var (generator, attempts) = state.withLock { ($0.generator, $0.attempts) }
    let decision = rule.decision(
      on: outcome, of: sent, attempts: max(attempts, call.attempts), elapsed: call.elapsed,
      using: &generator)
    let host = sent.first?.origin
    switch decision {
    case .deliver:
      return false
    case .stop(let refusal):
      call.journal.record(.notRetried(because: "\(refusal)"))
      return false
    case .retry(let wait):
      var left: Int?
      if let budget = rule.policy.budget, let host {
        left = budget.take(for: host)
        guard left != nil else {
          call.journal.record(.notRetried(because: "\(RetryRefusal.budgetSpent)"))
          return false
        }
      }
      let old = state.withLock { [generator] state in
        defer {
          state.generator = generator
          state.wait = wait
        }
        return state.generator
      }
      // A user's generator is released without the lock, too.
      withExtendedLifetime(old) {}
      call.journal.record(.waiting(wait, because: "\(outcome)", budget: left))
      return true
    }
  }

  /// The last failure, with what the call tells of itself by now.
  func ending(with error: any Error) -> any Error { error.telling(of: call.journal) }
}
