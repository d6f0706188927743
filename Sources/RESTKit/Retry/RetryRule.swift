import Streams

/// The rule that decides what follows an attempt: a pure function of its arguments.
struct RetryRule: Sendable {
  let policy: RetryPolicy

  /// The step that follows an attempt.
  enum Decision: Equatable {
    /// There was no reason to try again.
    case deliver
    /// There was a reason, but a rule forbids it.
    case stop(RetryRefusal)
    case retry(after: Duration)
  }

  /// - Parameters:
  ///   - outcome: The outcome of the attempt.
  ///   - sent: The requests that the attempt sent, including redirects and repetitions.
  ///   - attempts: The number of attempts of the call so far.
  ///   - elapsed: The time since the call began.
  ///   - timeLeft: The time until the caller's deadline; nil if there is none.
  ///   - generator: The source of the jitter.
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
      // It is added to the delay that the server gives all its clients, so that they do not return
      // together.
      wait = wait.adding(retryAfter)
    }
    if let total = policy.totalTime, elapsed.adding(wait) >= total {
      return .stop(.noTimeLeft(wait))
    }
    if let timeLeft, wait >= timeLeft { return .stop(.pastDeadline(wait)) }
    return .retry(after: wait)
  }

  /// Whether another attempt may have another outcome.
  func isTransient(_ outcome: AttemptOutcome) -> Bool {
    switch outcome {
    case .status(let status, let retryAfter):
      isTransient(status: status, hasRetryAfter: retryAfter != nil)
    case .fault(.limitExceeded, _, let status?):
      // It is a response, although its body was too long.
      isTransient(status: status, hasRetryAfter: false)
    case .fault(let kind, _, _): policy.faults.contains(kind)
    case .otherFailure: false
    }
  }

  private func isTransient(status: Int, hasRetryAfter: Bool) -> Bool {
    policy.statuses.contains(status)
      || hasRetryAfter && policy.statusesWithRetryAfter.contains(status)
  }

  /// Returns the reason why the requests of an attempt may not be sent again; nil if they may.
  func refusal(toRepeat sent: SentRequests) -> RetryRefusal? {
    guard sent.areReplayable else { return .bodyIsSpent }
    return sent.unsafeMethod(besides: policy.methods).map { .notIdempotent($0) }
  }
}

/// The reason why no attempt follows, although the last one failed in a transient way.
enum RetryRefusal: Equatable {
  /// The method may be sent only once, the request has no Idempotency-Key, and it may have been
  /// processed.
  case notIdempotent(HTTPMethod)
  /// The body can be read only once.
  case bodyIsSpent
  case attemptsSpent(Int)
  case retryAfterTooLong(Duration)
  case noTimeLeft(Duration)
  case pastDeadline(Duration)
  case budgetSpent
  /// A part of the stream was delivered, and there is no rule to resume the request.
  case partlyDelivered
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
    case .retryAfterTooLong(let wait):
      "the server asks for a wait of \(wait), longer than RetryPolicy.maxRetryAfter"
    case .noTimeLeft(let wait):
      "a wait of \(wait) would end after RetryPolicy.totalTime"
    case .pastDeadline(let wait):
      "a wait of \(wait) would end after the deadline of call(deadline:)"
    case .budgetSpent:
      "the host has failed so often that its RetryBudget is spent"
    case .partlyDelivered:
      "a part of the stream was delivered; pass retry(_:resume:) a closure that resumes it"
    }
  }
}
