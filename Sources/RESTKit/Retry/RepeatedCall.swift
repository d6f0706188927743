import Streams

/// One subscription to a publisher that is repeated: its attempts, their price, and the waits
/// between them.
///
/// A ``RepeatDecision`` says what an attempt is and what follows it. This class is not generic,
/// because generic code is not specialized for a user's types.
final class RepeatedCall: Sendable {
  private struct State: Sendable {
    var generator: any RandomNumberGenerator & Sendable
    var attempts = 0
    /// The number of those that ended with throttling.
    var throttled = 0
    /// Whether the attempt's head is the result, so that a fault of its body changes nothing.
    var isSettled = false
    /// The attempts and the time that no longer count, because a later value was delivered.
    var uncounted = (attempts: 0, elapsed: Duration.zero)

    /// The number of attempts without those that ended with throttling.
    ///
    /// - Parameter sent: The number of the call's requests that count.
    func counted(of sent: Int) -> Int { max(attempts - throttled, sent) }
  }

  let rule: RetryRule
  let logical: LogicalCall
  /// The context of each attempt.
  let context: SubscriptionContext
  /// The time of the test to which the subscription belongs; nil outside of one.
  private let test: TestTime?
  private let cause: CallCause
  private let deadline: CallDeadline?
  private let scope: CallScope
  private let state: Lock<State>

  /// - Parameters:
  ///   - policy: The policy with the clock, the budget, the source of jitter and the transient
  ///     outcomes.
  ///   - cause: The cause of each attempt after the first.
  ///   - context: The context of the subscriber.
  ///   - change: A closure that changes the options of each attempt.
  init(
    _ policy: RetryPolicy, cause: CallCause, in context: SubscriptionContext,
    change: (inout CallOptions) -> Void = { _ in }
  ) {
    test = policy.time.inUse
    let policy = policy.fixed(in: test)
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
      change(&options)
    }
    state = Lock(State(generator: policy.generator))
  }

  var policy: RetryPolicy { rule.policy }

  /// The policy's scheduler, for a time limit.
  var limitScheduler: any Scheduler {
    policy.scheduler(timedIn: test) { [journal] in journal.request }
  }

  var journal: CallJournal { logical.journal }

  /// The requests that the attempt has sent, including redirects and repetitions.
  var sent: SentRequests { scope.sentRequests }

  /// The user as whom the call is sent; nil if no session authorizes it.
  var user: SignInSpan? { scope.user }

  /// The time until the caller's deadline; nil if there is none.
  var timeLeft: Duration? { deadline?.remaining }

  /// The attempts and the time that count for the policy's limits.
  var spent: (attempts: Int, elapsed: Duration) {
    let (sent, elapsed) = (logical.countedAttempts, logical.elapsed)
    return state.withLock { state in
      // Another part of the call may have been throttled since a value was delivered.
      (
        max(state.counted(of: sent) - state.uncounted.attempts, 1),
        elapsed - state.uncounted.elapsed
      )
    }
  }

  // MARK: Events of an attempt

  /// Begins an attempt.
  ///
  /// - Returns: Its number, from 1.
  func begin() -> Int {
    let number = state.withLock { state in
      state.attempts += 1
      state.isSettled = false
      return state.attempts
    }
    journal.releaseRequests()
    if number > 1 {
      logical.beginRepetition(of: scope, cause: cause)
      scope.begin()
    }
    return number
  }

  /// Whether an outcome decides of what follows the attempt.
  ///
  /// After the head of an error is delivered, the body belongs to that error. Another attempt would
  /// deliver a second head behind it.
  fileprivate func decides(_ outcome: AttemptOutcome?) -> Bool {
    outcome != nil && !state.withLock { $0.isSettled }
  }

  /// Records that a value which shows the outcome is delivered.
  fileprivate func noteDelivered(_ outcome: AttemptOutcome?) {
    guard case .status(let status, _)? = outcome?.plain, !(200...299 ~= status) else { return }
    state.withLock { $0.isSettled = true }
  }

  /// Gives back the attempts before this one, and the time, because a value was delivered.
  func restartCount() {
    let (sent, elapsed) = (logical.countedAttempts, logical.elapsed)
    state.withLock { state in
      state.uncounted = (state.counted(of: sent) - 1, elapsed)
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
      if rule.isThrottled(outcome) { noteThrottling() }
      var left: Int?
      if !isFree, let budget = policy.budget, let host = sent.first?.origin {
        left = budget.take(for: host)
        if left == nil { return refuse(.budgetSpent) }
      }
      journal.record(.waiting(wait, because: "\(outcome)\(remark)", budget: left))
      test?.noteWait(of: wait, on: policy.scheduler, by: "RetryPolicy", call: journal.request)
      return wait
    }
  }

  /// Records that an attempt ended with throttling.
  ///
  /// It spends nothing, for the other repeated parts of the call neither.
  private func noteThrottling() {
    state.withLock { $0.throttled += 1 }
    logical.uncountAttempts(scope.attempts)
  }

  private func refuse(_ refusal: RetryRefusal) -> Duration? {
    journal.record(.notRetried(because: "\(refusal)"))
    return nil
  }
}

/// The half of a repeated call that knows its outputs.
///
/// It decides what an attempt is, what the signals of an attempt mean, and what follows an attempt.
///
/// Its methods are called for one signal at a time, with no lock held.
protocol RepeatDecision<Output>: Sendable {
  associatedtype Output: Sendable

  var call: RepeatedCall { get }

  /// Returns the publisher of an attempt that has begun.
  ///
  /// - Parameter number: The number of the attempt, from 1.
  func attempt(_ number: Int) -> AnyPublisher<Output, any Error>

  /// The outcome of the attempt that a value shows; nil if the attempt goes on.
  func outcome(of value: Output) -> AttemptOutcome?

  /// The outcome of the attempt that its end shows; nil if its values have shown it.
  func outcome(of end: Subscribers.Completion<any Error>) -> AttemptOutcome?

  /// Decides what follows an attempt.
  func step(after outcome: AttemptOutcome) -> RepeatStep

  /// Records a value that is delivered.
  func note(_ value: Output)
}

extension RepeatDecision {
  /// Returns the attempts, one after another, with the waits between them.
  ///
  /// - Parameter context: The context of the subscriber.
  func attempts(in context: SubscriptionContext) -> AnyPublisher<Output, any Error> {
    Relay(RepetitionRule.attempt(by: self), ending: call.logical, in: context).eraseToAnyPublisher()
  }
}

/// One step of a repeated call, an attempt or a wait, and the step that follows it.
struct RepetitionRule<Decision: RepeatDecision>: RelayRule {
  private let decision: Decision
  private let isWait: Bool

  /// Begins the next attempt.
  static func attempt(by decision: Decision) -> RelayLeg<Self> {
    let number = decision.call.begin()
    return RelayLeg(
      decision.attempt(number), rule: Self(decision: decision, isWait: false),
      context: decision.call.context)
  }

  func successor(of value: inout Decision.Output) -> RelayLeg<Self>? {
    let outcome = decision.outcome(of: value)
    if let next = wait(after: outcome) { return next }
    decision.call.noteDelivered(outcome)
    decision.note(value)
    return nil
  }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    if isWait, case .finished = end { return Self.attempt(by: decision) }
    if !isWait, let next = wait(after: decision.outcome(of: end)) { return next }
    // The last failure tells of all attempts.
    if case .failure(let error) = end { throw error.telling(of: decision.call.journal) }
    return nil
  }

  /// The wait before the next attempt; nil if none follows.
  private func wait(after outcome: AttemptOutcome?) -> RelayLeg<Self>? {
    let call = decision.call
    guard let outcome, call.decides(outcome),
      let wait = call.wait(for: decision.step(after: outcome), after: outcome)
    else { return nil }
    let pause = RetryPause(on: call.policy.scheduler, of: call.user)
    return RelayLeg(pause.publisher(for: wait), rule: Self(decision: decision, isWait: true))
  }
}

/// The step that follows an attempt.
enum RepeatStep: Equatable {
  /// There was no reason to try again.
  case deliver
  /// There was a reason, but a rule forbids it.
  case stop(RetryRefusal)
  /// - Parameters:
  ///   - isFree: Whether the attempt takes nothing from the budget.
  ///   - remark: What the log adds to the reason of the wait.
  case again(after: Duration, isFree: Bool = false, remark: String = "")
}

/// The reason why no attempt follows, although the last one failed in a transient way.
enum RetryRefusal: Equatable {
  /// The method may be sent only once, the request has no Idempotency-Key, and it may have been
  /// processed.
  case notIdempotent(HTTPMethod)
  /// The body can be read only once.
  case bodyIsSpent
  case attemptsSpent(Int)
  /// - Parameter limit: The property that limits it.
  case retryAfterTooLong(Duration, limit: String = "RetryPolicy.maxRetryAfter")
  case noTimeLeft(Duration)
  case pastDeadline(Duration)
  case budgetSpent
  /// A part of the stream was delivered, and there is no rule to resume the request.
  case partlyDelivered
  /// This number of connections of a live stream in a row brought no event.
  case failuresSpent(Int)
}

extension RetryRefusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .notIdempotent(let method):
      "\(method) may have been processed, and has no Idempotency-Key"
    case .bodyIsSpent:
      "its body can be sent only once; pass isReplayable: true if its publisher can repeat it"
    case .attemptsSpent(let count):
      "\(count) of \(count) attempts are used up, see RetryPolicy.maxAttempts"
    case .retryAfterTooLong(let wait, let limit):
      "the server asks for a wait of \(wait), longer than \(limit)"
    case .noTimeLeft(let wait):
      "a wait of \(wait) would end after RetryPolicy.totalTime"
    case .pastDeadline(let wait):
      "a wait of \(wait) would end after the deadline of call(deadline:)"
    case .budgetSpent:
      "the host has failed so often that its RetryBudget is spent"
    case .partlyDelivered:
      "a part of the stream was delivered; pass retry(_:resume:) a closure that resumes it"
    case .failuresSpent(let count):
      "\(count) connections in a row brought no event, see ReconnectPolicy.maxFailures"
    }
  }
}
