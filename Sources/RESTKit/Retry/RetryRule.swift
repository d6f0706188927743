import Streams

/// Says what follows an attempt: a function of what is given, and nothing else.
struct RetryRule: Sendable {
  let policy: RetryPolicy

  /// What follows an attempt.
  enum Decision: Equatable {
    /// There was nothing to try again for.
    case deliver
    /// There was, but it must not be.
    case stop(RetryRefusal)
    case retry(after: Duration)
  }

  /// - Parameters:
  ///   - outcome: What the attempt came to.
  ///   - sent: What it sent, redirects and repetitions included.
  ///   - attempts: How many attempts the call has had.
  ///   - elapsed: How long the call has taken.
  ///   - timeLeft: The time until the deadline of who calls; nil where there is none.
  ///   - generator: Where the jitter comes from.
  func decision(
    on outcome: AttemptOutcome, of sent: SentRequests, attempts: Int, elapsed: Duration,
    timeLeft: Duration? = nil, using generator: inout some RandomNumberGenerator
  ) -> Decision {
    guard isTransient(outcome) else { return .deliver }
    if let refusal = refusal(toRepeat: sent) { return .stop(refusal) }
    guard attempts < policy.maxAttempts else { return .stop(.attemptsSpent(attempts)) }
    var wait = policy.backoff.delay(forRetry: attempts - 1, using: &generator)
    if case .status(_, let retryAfter?) = outcome {
      guard retryAfter <= policy.maxRetryAfter else { return .stop(.retryAfterTooLong(retryAfter)) }
      // On top of what the server says to all its clients, so that they do not come back together.
      wait = wait.adding(retryAfter)
    }
    if let total = policy.totalTime, elapsed.adding(wait) >= total {
      return .stop(.noTimeLeft(wait))
    }
    if let timeLeft, wait >= timeLeft { return .stop(.pastDeadline(wait)) }
    return .retry(after: wait)
  }

  /// Whether an attempt came to what another one may change.
  func isTransient(_ outcome: AttemptOutcome) -> Bool {
    switch outcome {
    case .status(let status, let retryAfter):
      isTransient(status: status, hasRetryAfter: retryAfter != nil)
    case .fault(.limitExceeded, _, let status?):
      // An answer all the same: only its text was too long.
      isTransient(status: status, hasRetryAfter: false)
    case .fault(let kind, _, _): policy.faults.contains(kind)
    case .otherFailure: false
    }
  }

  private func isTransient(status: Int, hasRetryAfter: Bool) -> Bool {
    policy.statuses.contains(status)
      || hasRetryAfter && policy.statusesWithRetryAfter.contains(status)
  }

  /// Why the requests of an attempt may not be sent again; nil if they may.
  func refusal(toRepeat sent: SentRequests) -> RetryRefusal? {
    guard sent.areReplayable else { return .bodyIsSpent }
    return sent.unsafeMethod(besides: policy.methods).map { .notIdempotent($0) }
  }
}

/// Why there is no further attempt, although the last one failed in a way that may pass.
enum RetryRefusal: Equatable {
  /// It is a method to be sent once, has no Idempotency-Key, and may have been processed.
  case notIdempotent(HTTPMethod)
  /// The body can be read once only.
  case bodyIsSpent
  case attemptsSpent(Int)
  case retryAfterTooLong(Duration)
  case noTimeLeft(Duration)
  case pastDeadline(Duration)
  case budgetSpent
  /// A part of the stream was delivered, and nothing says how the next request goes on.
  case partlyDelivered
}

extension RetryRefusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .notIdempotent(let method):
      "\(method) may have been processed, and has no Idempotency-Key"
    case .bodyIsSpent:
      "its body can be sent once only; pass isReplayable: true if the publisher gives it again"
    case .attemptsSpent(let count):
      "\(count) of \(count) attempts are used up, see RetryPolicy.maxAttempts"
    case .retryAfterTooLong(let wait):
      "the server asks for a wait of \(wait), longer than RetryPolicy.maxRetryAfter"
    case .noTimeLeft(let wait):
      "a wait of \(wait) would end after RetryPolicy.totalTime"
    case .pastDeadline(let wait):
      "a wait of \(wait) would end after the deadline of call(deadline:)"
    case .budgetSpent:
      "the host has failed so often that its RetryBudget is spent"
    case .partlyDelivered:
      "a part of the stream was delivered; give retry(_:resume:) a closure that says how to go on"
    }
  }
}
