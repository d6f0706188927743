import Streams

/// One subscription to a publisher that is repeated: its attempts, their price, and the waits between
/// them.
///
/// A ``RepeatDecision`` says what an attempt is and what follows it. This class is not generic, because
/// generic code is not specialized for a user's types.
final class RepeatedCall: Sendable {
  private struct State: Sendable {
    var generator: any RandomNumberGenerator & Sendable
    var attempts = 0
    /// The attempts and the time that no longer count, because a later value was delivered.
    var settled = (attempts: 0, elapsed: Duration.zero)
  }

  let rule: RetryRule
  let logical: LogicalCall
  /// The context of each attempt.
  let context: SubscriptionContext
  private let cause: CallCause
  private let deadline: CallDeadline?
  private let scope: CallScope
  private let state: Lock<State>

  /// - Parameters:
  ///   - policy: The policy with the clock, the budget, the source of jitter and the transient outcomes.
  ///   - cause: The cause of each attempt after the first.
  ///   - context: The context of the subscriber.
  ///   - preparer: A closure that lets an attempt go on; nil if each attempt begins anew.
  init(
    _ policy: RetryPolicy, cause: CallCause, in context: SubscriptionContext,
    preparer: RequestPreparer? = nil
  ) {
    rule = RetryRule(policy: policy)
    let options = context.options
    deadline = options.deadline?.deadline
    logical =
      context.call ?? LogicalCall(clock: policy.scheduler, under: options.deadline, in: context)
    self.cause = cause
    let inside: SubscriptionContext
    (scope, inside) = context.beginningScope(of: logical, keyMaker: policy.keyMaker)
    self.context = inside.changingOptions { options in
      options.isRetried = true
      if let preparer { options.prepare(preparer) }
    }
    state = Lock(State(generator: policy.generator))
  }

  var policy: RetryPolicy { rule.policy }
  var journal: CallJournal { logical.journal }

  /// The requests that the attempt has sent, including redirects and repetitions.
  var sent: SentRequests { scope.sentRequests }

  /// The time until the caller's deadline; nil if there is none.
  var timeLeft: Duration? { deadline?.remaining }

  /// The attempts and the time that count for the policy's limits.
  var spent: (attempts: Int, elapsed: Duration) {
    let (attempts, settled) = state.withLock { ($0.attempts, $0.settled) }
    return (
      max(attempts, logical.attempts) - settled.attempts, logical.elapsed - settled.elapsed
    )
  }

  // MARK: Events of an attempt

  /// Begins an attempt.
  ///
  /// - Returns: Its number, from 1.
  func begin() -> Int {
    let number = state.withLock { state in
      state.attempts += 1
      return state.attempts
    }
    journal.settle()
    if number > 1 {
      logical.beginRepetition(of: scope, cause: cause)
      scope.begin()
    }
    return number
  }

  /// Gives back the attempts before this one, and the time, because a value was delivered.
  func settle() {
    let (attempts, elapsed) = (logical.attempts, logical.elapsed)
    state.withLock { state in
      state.settled = (max(state.attempts, attempts) - 1, elapsed)
    }
    // A token that expires from now on is not the one that was accepted.
    logical.renewRefresh()
  }

  /// Gives retries back to the budget if it is not full.
  ///
  /// Splitting a URL costs more than the rest of a retry that is not needed.
  func noteSuccess() {
    guard let budget = policy.budget, !budget.isFull, let host = sent.first?.origin else {
      return
    }
    budget.noteSuccess(of: host)
  }

  // MARK: The next attempt

  /// Runs a closure with the source of jitter.
  ///
  /// Signals arrive one at a time, and only they draw.
  func drawing(
    _ body: (inout any RandomNumberGenerator & Sendable) -> RepeatStep
  ) -> RepeatStep {
    // A user's generator runs, and is released, without the lock.
    var generator = state.withLock { $0.generator }
    defer { state.withLock { swap(&$0.generator, &generator) } }
    return body(&generator)
  }

  /// Records the step after an attempt, and takes the next attempt from the budget.
  ///
  /// - Returns: The wait before the next attempt; nil if none follows.
  func wait(for step: RepeatStep, after outcome: AttemptOutcome) -> Duration? {
    switch step {
    case .deliver: return nil
    case .stop(let refusal): return refuse(refusal)
    case .again(let wait, let isFree, let remark):
      var left: Int?
      if !isFree, let budget = policy.budget, let host = sent.first?.origin {
        left = budget.take(for: host)
        if left == nil { return refuse(.budgetSpent) }
      }
      journal.record(.waiting(wait, because: "\(outcome)\(remark)", budget: left))
      return wait
    }
  }

  private func refuse(_ refusal: RetryRefusal) -> Duration? {
    journal.record(.notRetried(because: "\(refusal)"))
    return nil
  }
}
