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
  case retryAfterTooLong(Duration)
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
    case .failuresSpent(let count):
      "\(count) connections in a row brought no event, see ReconnectPolicy.maxFailures"
    }
  }
}
