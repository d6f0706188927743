import Streams

/// One subscription to what is retried: attempts, and the waits between them.
final class RetriedCall<Output: Sendable>: Sendable {
  fileprivate let run: RetryRun
  private let request: AnyPublisher<Output, any Error>
  /// What an attempt is given.
  private let context: SubscriptionContext
  private let isTimed: Bool
  fileprivate let outcome: @Sendable (Output, RetryRun) -> AttemptOutcome?

  /// - Parameters:
  ///   - context: That of the subscriber.
  ///   - isTimed: Whether an attempt may be cut.
  ///   - outcome: What a value says of the attempt; nil where it is not the last.
  init(
    run: RetryRun, in context: SubscriptionContext, request: AnyPublisher<Output, any Error>,
    isTimed: Bool,
    outcome: @escaping @Sendable (Output, RetryRun) -> AttemptOutcome?
  ) {
    self.run = run
    self.request = request
    self.context = context.setting(LogicalCall.Key.self, to: run.call)
      .setting(IsRetried.self, to: true)
    self.isTimed = isTimed
    self.outcome = outcome
  }

  /// The next attempt.
  var attempt: RelayLeg<RetryTurn<Output>> {
    let limit = run.beginAttempt()
    let rule = RetryTurn(owner: self, isWait: false)
    guard isTimed, let limit else { return RelayLeg(request, rule: rule, context: context) }
    // What is sent with no time left is sent for nothing, and may be a POST.
    guard !run.isTimeOver else {
      let failure = Fail<Output, any Error>(error: run.timeout(after: limit))
      return RelayLeg(failure.eraseToAnyPublisher(), rule: rule)
    }
    let timed = Expiring(request, after: limit, scheduler: run.scheduler) { [run] in
      run.timeout(after: limit)
    }
    return RelayLeg(timed.eraseToAnyPublisher(), rule: rule, context: context)
  }

  /// The wait before it.
  fileprivate var wait: RelayLeg<RetryTurn<Output>> {
    let wait = Empty<Output, any Error>().delay(for: run.wait, scheduler: run.scheduler)
    return RelayLeg(wait.eraseToAnyPublisher(), rule: RetryTurn(owner: self, isWait: true))
  }
}

/// What a retried call does at a time, and what follows from that.
struct RetryTurn<Output: Sendable>: RelayRule {
  fileprivate let owner: RetriedCall<Output>
  fileprivate let isWait: Bool

  func successor(of output: inout Output) -> RelayLeg<Self>? {
    guard let outcome = owner.outcome(output, owner.run), owner.run.shouldRetry(after: outcome)
    else { return nil }
    return owner.wait
  }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    guard case .failure(let error) = end else { return isWait ? owner.attempt : nil }
    guard owner.run.shouldRetry(after: error) else { throw owner.run.ending(with: error) }
    return owner.wait
  }
}

/// Whether somebody downstream retries, who then is the only one.
enum IsRetried: SubscriptionContextKey {
  static var defaultValue: Bool { false }
}
