import Streams

/// Says what follows each connection of a stream: a state of value type, and nothing else.
struct ReconnectMachine: Sendable {
  /// What a connection came to.
  enum Outcome: Equatable {
    /// The server ended it.
    case ended
    case failed(AttemptOutcome)
  }

  /// What follows.
  enum Step: Equatable {
    /// There was nothing to connect again for.
    case deliver
    /// There was, but it must not be.
    case stop(ReconnectRefusal)
    /// - Parameters:
    ///   - isFree: Whether it takes nothing from the budget.
    ///   - insteadOf: What the server asks for, where that is not waited for, since it is too long.
    case reconnect(after: Duration, isFree: Bool, insteadOf: Duration? = nil)
  }

  /// The shortest wait.
  ///
  /// A server whose `retry:` is zero, and which ends behind each event, would be asked as fast as a loop runs;
  /// ten times a second is as good to a reader.
  static let shortestWait = Duration.milliseconds(100)

  let policy: ReconnectPolicy
  let rule: RetryRule

  /// How many connections in a row brought nothing.
  private(set) var failures = 0
  /// Whether the connection brought an event.
  private(set) var hasDelivered = false
  private var isOver = false

  init(_ policy: ReconnectPolicy, rule: RetryRule) {
    self.policy = policy
    self.rule = rule
  }

  /// A connection is about to be made.
  mutating func begin() {
    hasDelivered = false
  }

  /// An event came.
  mutating func noteDelivery() {
    hasDelivered = true
    failures = 0
  }

  /// The server wants no further connection.
  mutating func noteEnd() {
    isOver = true
  }

  /// Says what follows a connection.
  ///
  /// - Parameters:
  ///   - sent: What it sent, redirects and repetitions included.
  ///   - serverDelay: The wait that the server has asked for between connections, if it has.
  ///   - generator: Where the jitter comes from.
  mutating func step(
    after outcome: Outcome, of sent: SentRequests, serverDelay: Duration?,
    using generator: inout some RandomNumberGenerator
  ) -> Step {
    guard !isOver, isWorthwhile(outcome, of: sent) else { return .deliver }
    if let refusal = rule.refusal(toRepeat: sent) { return .stop(.retry(refusal)) }
    if !hasDelivered { failures += 1 }
    if let most = policy.maxFailures, !hasDelivered, failures >= most {
      return .stop(.failuresSpent(failures))
    }
    var (wait, isLongest) = wait(serverDelay: serverDelay, using: &generator)
    if case .failed(.status(_, let retryAfter?)) = outcome {
      let longest = rule.policy.maxRetryAfter
      guard retryAfter <= longest else { return .stop(.retry(.retryAfterTooLong(retryAfter))) }
      // On top of what the server says to all its clients, so that they do not come back together.
      wait = wait.adding(retryAfter)
    }
    return .reconnect(
      after: wait, isFree: hasDelivered || outcome == .ended || isLongest,
      insteadOf: serverDelay.flatMap { $0 > policy.maxServerDelay ? $0 : nil })
  }

  private func isWorthwhile(_ outcome: Outcome, of sent: SentRequests) -> Bool {
    if let most = policy.maxFailures, most <= 0 { return false }
    return switch outcome {
    case .ended:
      policy.reconnectsAfterEnd && sent.last.map { rule.policy.methods.contains($0.method) } ?? true
    case .failed(let outcome): rule.isTransient(outcome)
    }
  }

  /// - Returns: The wait, and whether it would not be longer after another failure: then time is the bound of
  ///   what is tried.
  private func wait(
    serverDelay: Duration?, using generator: inout some RandomNumberGenerator
  ) -> (Duration, isLongest: Bool) {
    let least = max(
      serverDelay.map { min($0, policy.maxServerDelay) } ?? policy.delay, Self.shortestWait)
    // The server knows how many clients it has: what it says is not made longer without need.
    if serverDelay != nil, failures == 0 { return (least, false) }
    let spread = Publishers.Backoff(
      baseDelay: policy.delay, maxDelay: max(policy.maxDelay.since(least), .zero))
    let isLongest =
      rule.policy.scheduler.letsTimePass
      && spread.delayLimit(forRetry: failures) == spread.maxDelay
    return (least.adding(spread.delay(forRetry: failures, using: &generator)), isLongest)
  }
}

/// Why a stream is not asked for again, although it ended in a way that may pass.
enum ReconnectRefusal: Equatable {
  case retry(RetryRefusal)
  /// So many connections in a row brought nothing.
  case failuresSpent(Int)
}

extension ReconnectRefusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .retry(let refusal): "\(refusal)"
    case .failuresSpent(let count):
      "\(count) connections in a row brought nothing, see ReconnectPolicy.maxFailures"
    }
  }
}

extension ReconnectMachine.Outcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .ended: "the server ended the stream"
    case .failed(let outcome): "\(outcome)"
    }
  }
}
