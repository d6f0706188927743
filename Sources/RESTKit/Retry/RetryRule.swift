import Foundation
import Streams

/// The rule that decides what follows an attempt: a pure function of its arguments.
struct RetryRule: Sendable {
  let policy: RetryPolicy

  /// Returns the step that follows an attempt.
  ///
  /// - Parameters:
  ///   - outcome: The outcome of the attempt.
  ///   - sent: The requests that the attempt sent, including redirects and repetitions.
  ///   - attempts: The number of attempts of the call so far, without those that ended with
  ///     throttling.
  ///   - elapsed: The time since the call began.
  ///   - timeLeft: The time until the caller's deadline; nil if there is none.
  ///   - generator: The source of the jitter.
  func decision(
    on outcome: AttemptOutcome, of sent: SentRequests, attempts: Int, elapsed: Duration,
    timeLeft: Duration? = nil, using generator: inout some RandomNumberGenerator
  ) -> RepeatStep {
    guard isTransient(outcome) else { return .deliver }
    if let refusal = refusal(toRepeat: sent) { return .stop(refusal) }
    let isThrottled = isThrottled(outcome)
    guard attempts < policy.maxAttempts || isThrottled && policy.maxAttempts > 1 else {
      // The repetition of a refused request counts, although no policy asked for it.
      return .stop(.attemptsSpent(Swift.min(attempts, Swift.max(policy.maxAttempts, 1))))
    }
    var wait = policy.backoff.delay(forRetry: attempts - 1, using: &generator)
    if case .status(_, let retryAfter?) = outcome.plain {
      guard retryAfter <= policy.maxRetryAfter else { return .stop(.retryAfterTooLong(retryAfter)) }
      // It is added to the delay that the server gives all its clients, so that they do not return
      // together.
      wait = wait.adding(retryAfter)
    }
    if case .tokenNotRenewed(_, let pause) = outcome.plain {
      guard pause <= policy.maxRetryAfter else { return .stop(.retryAfterTooLong(pause)) }
      wait = wait.adding(pause)
    }
    if let total = policy.totalTime, elapsed.adding(wait) >= total {
      return .stop(.noTimeLeft(wait))
    }
    if let timeLeft, wait >= timeLeft { return .stop(.pastDeadline(wait)) }
    guard isThrottled else { return .again(after: wait) }
    return .again(after: wait, isFree: true, remark: Self.throttlingRemark)
  }

  /// What the log adds to a wait that spends no attempt.
  static let throttlingRemark = ", which spends no attempt"

  /// Whether another attempt may have another outcome.
  func isTransient(_ outcome: AttemptOutcome) -> Bool {
    switch outcome {
    case .status(let status, let retryAfter):
      isTransient(status: status, hasRetryAfter: retryAfter != nil)
    case .fault(.limitExceeded, _, let status?):
      // It is a response, although its body was too long.
      isTransient(status: status, hasRetryAfter: false)
    case .fault(let kind, _, _): policy.faults.contains(kind)
    case .tokenNotRenewed(let cause, _): isTransient(cause)
    case .judged(_, let isTransient): isTransient
    case .replaced: true
    case .ended, .otherFailure: false
    }
  }

  /// Whether a server that works limits its clients, and names the time of the next request.
  ///
  /// A 503 is no throttling, even with a `Retry-After`: the server is overloaded or down, and the
  /// budget is for its protection. A named time of zero would be no pause.
  func isThrottled(_ outcome: AttemptOutcome) -> Bool {
    guard case .status(let status, let retryAfter?) = outcome.plain, retryAfter > .zero else {
      return false
    }
    return [403, 429].contains(status) && isTransient(outcome)
  }

  private func isTransient(status: Int, hasRetryAfter: Bool) -> Bool {
    policy.statuses.contains(status)
      || hasRetryAfter && policy.statusesWithRetryAfter.contains(status)
  }

  /// Returns the reason why the requests of an attempt may not be sent again; nil if they may.
  func refusal(toRepeat sent: SentRequests) -> RetryRefusal? {
    guard sent.areReplayable else { return .bodyIsSpent }
    return sent.unsafeMethod(besides: policy.methods, throttled: policy.throttledMethods)
      .map { .notIdempotent($0) }
  }
}

/// The outcome of an attempt, as far as a repetition depends on it.
enum AttemptOutcome: Equatable, Sendable {
  case status(Int, retryAfter: Duration?)
  /// There is no complete response. The status is that of the received part, if there is one.
  case fault(TransportError.Kind, mayHaveBeenProcessed: Bool, status: Int? = nil)
  /// The session could not renew the token for now, and does not try again during a pause.
  ///
  /// - Parameter cause: How the token request ended.
  indirect case tokenNotRenewed(AttemptOutcome, pause: Duration)
  /// An outcome about which the policy's own rule has decided.
  indirect case judged(AttemptOutcome, isTransient: Bool)
  /// The server ended a stream that may go on with another attempt.
  case ended
  /// The content of a stream is another version, with which the stream begins again.
  case replaced
  /// A failure that another attempt would not change, or with an unknown cause: a request that
  /// cannot be made, a refused redirect, a body that cannot be decoded, an error that is not
  /// RESTKit's.
  case otherFailure

  /// The outcome without the decision of a policy's own rule.
  var plain: AttemptOutcome {
    if case .judged(let plain, _) = self { plain } else { self }
  }

  /// Returns this outcome with the decision of a policy's own rule, if there is one.
  func judged(
    by policy: RetryPolicy, from result: @autoclosure () -> Result<RESTResponse, any Error>
  ) -> AttemptOutcome {
    guard let isTransient = policy.isTransient?(result()) else { return self }
    return .judged(self, isTransient: isTransient)
  }

  /// The outcome of a call's attempt that failed.
  ///
  /// If a session could not renew its token for now, the user stays signed in, and the failure of
  /// the renewal decides whether another attempt may succeed.
  ///
  /// - Parameter pause: The time during which the session does not try again.
  init(ofCall error: any Error, pause: Duration, now: Date) {
    switch error as? TokenSessionError {
    case .refreshFailed(let cause):
      self = .tokenNotRenewed(AttemptOutcome(cause, now: now), pause: pause)
    case .refreshTimedOut:
      self = .tokenNotRenewed(.fault(.timedOut, mayHaveBeenProcessed: false), pause: pause)
    default: self.init(error, now: now)
    }
  }

  init(_ response: RESTResponse, now: Date) {
    self = .status(response.statusCode, retryAfter: response.headers.retryAfter(now: now))
  }

  init(_ error: any Error, now: Date) {
    // Another attempt would have no more time.
    guard let error = error as? RESTError, !(error.underlyingError is CallDeadlineError) else {
      self = .otherFailure
      return
    }
    switch error.kind {
    case .status(let status):
      self = .status(status, retryAfter: error.response?.headers.retryAfter(now: now))
    case .transport(let kind):
      let fault = error.underlyingError as? TransportError
      self = .fault(
        kind, mayHaveBeenProcessed: fault?.mayHaveBeenProcessed ?? true, status: fault?.statusCode)
    case .invalidBaseURL, .invalidEndpoint, .invalidRequest, .redirect, .pageLink, .rateLimit,
      .malformedResponse, .file, .decoding, .other:
      self = .otherFailure
    }
  }
}

extension AttemptOutcome {
  /// Returns the outcome with the wait that a policy reads from its response.
  func reading(
    _ response: @autoclosure () -> RESTResponse?, by policy: RetryPolicy
  ) -> AttemptOutcome {
    guard let read = policy.retryAfter else { return self }
    return waiting(response().flatMap(read)?.asRetryAfter)
  }

  /// Returns the outcome of a failed attempt with the wait that a policy reads from its response.
  func reading(_ error: any Error, by policy: RetryPolicy) -> AttemptOutcome {
    guard let read = policy.retryAfter else { return self }
    let cause = (error as? TokenSessionError)?.cause ?? error
    return waiting((cause as? RESTError)?.wait(readBy: read))
  }

  private func waiting(_ wait: @autoclosure () -> Duration?) -> AttemptOutcome {
    guard case .status(let status, let named) = self, !(200...299 ~= status), let wait = wait()
    else { return self }
    return .status(status, retryAfter: max(named ?? .zero, wait))
  }
}

extension AttemptOutcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .status(let status, nil): "the response was \(status)"
    case .status(let status, let wait?): "the response was \(status) with Retry-After \(wait)"
    case .fault(let kind, _, _): "the attempt ended with \(kind)"
    case .tokenNotRenewed(let cause, _): "of the token's renewal, \(cause)"
    case .judged(let plain, _): "\(plain), which the policy's isTransient has judged"
    case .ended: "the server ended the stream"
    case .replaced: "the content was replaced"
    case .otherFailure: "the attempt failed"
    }
  }
}
