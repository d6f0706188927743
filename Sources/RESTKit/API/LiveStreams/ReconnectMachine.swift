import Streams

/// The state that decides what follows each connection of a stream: a value type without side
/// effects.
struct ReconnectMachine: Sendable {
  /// The shortest wait.
  ///
  /// A server whose `retry:` is zero, and which ends the stream after each event, would be asked in
  /// a loop without a pause. Ten requests a second are enough for a reader.
  static let shortestWait = Duration.milliseconds(100)

  let policy: ReconnectPolicy
  let rule: RetryRule

  /// The number of connections in a row without an event.
  private(set) var failures = 0
  /// The wait between connections that the server asked for, if it did.
  var serverDelay: Duration?
  /// Whether the next connection cannot send the last id.
  var hasLostID = false
  /// Whether the connection brought an event.
  private(set) var hasDelivered = false
  private var isOver = false

  init(_ policy: ReconnectPolicy, rule: RetryRule) {
    self.policy = policy
    self.rule = rule
  }

  /// Begins a connection.
  mutating func begin() {
    hasDelivered = false
  }

  /// Records that an event arrived.
  mutating func noteDelivery() {
    hasDelivered = true
    failures = 0
  }

  /// Records that the server wants no further connection.
  mutating func noteEnd() {
    isOver = true
  }

  /// Returns the step that follows a connection.
  ///
  /// - Parameters:
  ///   - sent: The requests that the connection sent, including redirects and repetitions.
  ///   - generator: The source of the jitter.
  mutating func step(
    after outcome: AttemptOutcome, of sent: SentRequests,
    using generator: inout some RandomNumberGenerator
  ) -> RepeatStep {
    guard !isOver, isWorthwhile(outcome, of: sent) else { return .deliver }
    if let refusal = rule.refusal(toRepeat: sent) { return .stop(refusal) }
    if !hasDelivered { failures += 1 }
    if let most = policy.maxFailures, !hasDelivered, failures >= most {
      return .stop(.failuresSpent(failures))
    }
    var (wait, isLongest) = wait(using: &generator)
    if case .status(_, let retryAfter?) = outcome {
      guard retryAfter <= policy.maxRetryAfter else {
        return .stop(.retryAfterTooLong(retryAfter, limit: "ReconnectPolicy.maxRetryAfter"))
      }
      // It is added to the delay that the server gives all its clients, so that they do not return
      // together.
      wait = wait.adding(retryAfter)
    }
    return .again(
      after: wait,
      isFree: hasDelivered || outcome == .ended || isLongest || rule.isThrottled(outcome),
      remark: remark)
  }

  /// What the log says about the next connection.
  private var remark: String { delayRemark + (hasLostID ? Self.lostIDRemark : "") }

  private static let lostIDRemark =
    ", and goes on without the last id, which no header field can carry"

  /// What the log says about a delay of the server that is too long and is not kept.
  private var delayRemark: String {
    guard let serverDelay, serverDelay > policy.maxServerDelay else { return "" }
    return
      ", instead of the \(serverDelay.shortText) of its retry, see ReconnectPolicy.maxServerDelay"
  }

  private func isWorthwhile(_ outcome: AttemptOutcome, of sent: SentRequests) -> Bool {
    if let most = policy.maxFailures, most <= 0 { return false }
    return switch outcome {
    case .ended:
      policy.reconnectsAfterEnd && sent.last.map { rule.policy.methods.contains($0.method) } ?? true
    default: rule.isTransient(outcome)
    }
  }

  /// - Returns: The wait, and whether it has its maximum length. If it has, another failure does
  ///   not lengthen it, and time limits the number of attempts.
  private func wait(
    using generator: inout some RandomNumberGenerator
  ) -> (Duration, isLongest: Bool) {
    let least = max(
      serverDelay.map { min($0, policy.maxServerDelay) } ?? policy.delay, Self.shortestWait)
    // The server knows how many clients it has. Its delay is not lengthened without need.
    if serverDelay != nil, failures == 0 { return (least, false) }
    let spread = Publishers.Backoff(
      baseDelay: policy.delay, maxDelay: max(policy.maxDelay.since(least), .zero))
    let isLongest =
      rule.policy.scheduler.letsTimePass
      && spread.delayLimit(forRetry: failures) == spread.maxDelay
    return (least.adding(spread.delay(forRetry: failures, using: &generator)), isLongest)
  }
}
