import Foundation
import Streams

/// One subscription to a retried publisher: its attempts, the waits between them, and the decision
/// after each.
final class RetriedCall<Output: Sendable>: Sendable {
  private struct State: Sendable {
    var generator: any RandomNumberGenerator & Sendable
    var attempts = 0
    var wait = Duration.zero
    /// The attempts and the time that no longer count, because a later value was delivered.
    var settled = (attempts: 0, elapsed: Duration.zero)
  }

  private let rule: RetryRule
  private let call: LogicalCall
  private let scope: CallScope
  private let request: AnyPublisher<Output, any Error>
  /// The context of an attempt.
  private let context: SubscriptionContext
  private let isTimed: Bool
  private let outcome: @Sendable (Output, () -> Date) -> AttemptOutcome?
  private let delivery: StreamDelivery<Output>?
  private let state: Lock<State>

  /// - Parameters:
  ///   - context: The context of the subscriber.
  ///   - isTimed: Whether an attempt may be cut off.
  ///   - delivery: The record of a stream's delivered values, which must not be delivered twice; nil if
  ///     an attempt may begin again.
  ///   - outcome: A closure that returns the outcome of an attempt from a value and the time of day, or
  ///     nil if the value does not end the attempt.
  init(
    _ policy: RetryPolicy, call: LogicalCall, in context: SubscriptionContext,
    request: AnyPublisher<Output, any Error>, isTimed: Bool,
    delivery: StreamDelivery<Output>? = nil,
    outcome: @escaping @Sendable (Output, () -> Date) -> AttemptOutcome?
  ) {
    rule = RetryRule(policy: policy)
    self.call = call
    self.request = request
    let inside: SubscriptionContext
    (scope, inside) = context.beginningScope(of: call, keyMaker: policy.keyMaker)
    let retried = inside.setting(IsRetried.self, to: true)
    self.context = delivery.map { retried.setting(ResumptionKey.self, to: $0) } ?? retried
    self.isTimed = isTimed
    self.outcome = outcome
    self.delivery = delivery
    state = Lock(State(generator: rule.policy.generator))
  }

  // MARK: The next step

  /// The next attempt.
  var attempt: RelayLeg<RetryTurn<Output>> {
    let limit = beginAttempt()
    let rule = RetryTurn(owner: self, isWait: false)
    guard isTimed, let limit else { return RelayLeg(request, rule: rule, context: context) }
    // A request without time left would be sent for nothing, and it may be a POST.
    guard !isTimeOver else {
      let failure = Fail<Output, any Error>(error: timeout(after: limit))
      return RelayLeg(failure.eraseToAnyPublisher(), rule: rule)
    }
    let timed = Expiring(request, after: limit, scheduler: scheduler) { [self] in
      timeout(after: limit)
    }
    return RelayLeg(timed.eraseToAnyPublisher(), rule: rule, context: context)
  }

  /// The wait before the next attempt.
  fileprivate var wait: RelayLeg<RetryTurn<Output>> {
    let wait = Empty<Output, any Error>().delay(
      for: state.withLock { $0.wait }, scheduler: scheduler)
    return RelayLeg(wait.eraseToAnyPublisher(), rule: RetryTurn(owner: self, isWait: true))
  }

  // MARK: Decisions

  /// Decides on a retry after a value of an attempt.
  fileprivate func shouldRetry(after output: Output) -> Bool {
    guard let outcome = outcome(output, { rule.policy.wallClock() }) else { return false }
    return shouldRetry(after: outcome)
  }

  /// Records a delivered value of a stream.
  ///
  /// The count of attempts and the time begin again.
  fileprivate func note(_ output: Output) {
    guard let delivery, delivery.note(output) else { return }
    let (attempts, elapsed) = (call.attempts, call.elapsed)
    state.withLock { state in
      state.settled = (max(state.attempts, attempts) - 1, elapsed)
    }
    // A token that expires from now on is not the one that was accepted.
    call.renewRefresh()
  }

  private var scheduler: any Scheduler { rule.policy.scheduler }

  /// Records that an attempt begins.
  ///
  /// - Returns: The time limit of the attempt; nil for no limit.
  private func beginAttempt() -> Duration? {
    let isRetry = state.withLock { state in
      state.attempts += 1
      return state.attempts > 1
    }
    call.journal.settle()
    if isRetry {
      call.beginRepetition(of: scope, cause: .retry)
      scope.begin()
    }
    guard let totalTime = rule.policy.totalTime else { return rule.policy.attemptTimeout }
    let left = max(totalTime - call.elapsed, .zero)
    return min(rule.policy.attemptTimeout ?? left, left)
  }

  /// Whether a call has used all its time before its first attempt.
  ///
  /// A session may have waited for a token. For a retry, the time was checked before its wait.
  private var isTimeOver: Bool {
    guard let totalTime = rule.policy.totalTime, state.withLock({ $0.attempts }) == 1 else {
      return false
    }
    let elapsed = call.elapsed
    return elapsed > .zero && elapsed >= totalTime
  }

  /// The failure of an attempt that took too long.
  private func timeout(after limit: Duration) -> RESTError {
    let property = limit == rule.policy.attemptTimeout ? "attemptTimeout" : "totalTime"
    let fault = TransportError(
      kind: .timedOut, detail: "RetryPolicy.\(property)",
      mayHaveBeenProcessed: !scope.sentRequests.isEmpty)
    let error = RESTError(
      .transport(fault.kind), reason: fault.reason, remedy: fault.remedy,
      request: call.journal.request, underlyingError: fault)
    call.journal.record(error)
    return error
  }

  /// Decides on a retry after the failure of an attempt.
  fileprivate func shouldRetry(after error: any Error) -> Bool {
    shouldRetry(after: AttemptOutcome(error, now: rule.policy.wallClock()))
  }

  /// Gives retries back to the budget if it is not full.
  ///
  /// Splitting a URL costs more than the rest of a retry that is not needed.
  private func noteSuccess() {
    guard let budget = rule.policy.budget, !budget.isFull,
      let host = scope.sentRequests.first?.origin
    else { return }
    budget.noteSuccess(of: host)
  }

  /// Decides on a retry.
  ///
  /// If there is one, takes it from the budget and records its wait.
  private func shouldRetry(after outcome: AttemptOutcome) -> Bool {
    if case .status = outcome, !rule.isTransient(outcome) {
      noteSuccess()
      return false
    }
    let sent = scope.sentRequests
    // A user's generator runs without the lock. Signals arrive one at a time.
    var (generator, attempts, settled) = state.withLock {
      ($0.generator, $0.attempts, $0.settled)
    }
    if let delivery, !delivery.canGoOn, rule.isTransient(outcome) {
      call.journal.record(.notRetried(because: "\(RetryRefusal.partlyDelivered)"))
      return false
    }
    let decision = rule.decision(
      on: outcome, of: sent, attempts: max(attempts, call.attempts) - settled.attempts,
      elapsed: call.elapsed - settled.elapsed,
      timeLeft: context[DeadlineRecord.Key.self]?.deadline.remaining, using: &generator)
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

  /// Returns the last failure, with the call's log so far.
  fileprivate func ending(with error: any Error) -> any Error { error.telling(of: call.journal) }
}

/// One step of a retried call, an attempt or a wait, and the step that follows it.
struct RetryTurn<Output: Sendable>: RelayRule {
  fileprivate let owner: RetriedCall<Output>
  fileprivate let isWait: Bool

  func successor(of output: inout Output) -> RelayLeg<Self>? {
    if owner.shouldRetry(after: output) { return owner.wait }
    owner.note(output)
    return nil
  }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    guard case .failure(let error) = end else { return isWait ? owner.attempt : nil }
    guard owner.shouldRetry(after: error) else { throw owner.ending(with: error) }
    return owner.wait
  }
}
