import Foundation
import Streams

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// Sends a request again, according to a policy, if it fails or if the response has a transient
  /// status, such as 503.
  ///
  /// Each attempt subscribes to this publisher again, so that its modifiers run again. After the
  /// last attempt, its outcome passes unchanged: a failure with every attempt in its
  /// ``RESTError/log``, or a response as a value. `validateStatus()` and `decode` put the
  /// response's log into their errors. Earlier responses are released before the wait begins.
  ///
  /// Of several retries around one request, only the outermost applies. An API's own
  /// ``RESTAPI/retry`` is the innermost. A cancel ends the attempt, or the wait and its timer, at
  /// once. Values arrive on this publisher's thread. The policy's scheduler subscribes the attempts
  /// after the first.
  ///
  /// - Parameter policy: The rules for the repetitions, their number and the waits between them.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<RESTResponse, any Error> {
    retrying(policy, isTimed: true) { response, now in
      // Another attempt would find the same stored response.
      guard !response.isFromCache else { return nil }
      return AttemptOutcome(response, now: now()).judged(by: policy, from: .success(response))
    }
  }
}

extension Publisher where Output == UploadEvent, Failure == any Error {
  /// Sends an upload again, according to a policy, as `retry(_:)` of a response does.
  ///
  /// The progress begins again with each attempt. A body from a publisher that can give its chunks
  /// only once is never sent again. The policy's times do not cut an attempt off:
  /// ``RetryPolicy/totalTime`` limits the time in which retries may begin.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<UploadEvent, any Error> {
    retrying(policy, isTimed: false) { event, now in
      guard case .response(let response) = event else { return nil }
      return AttemptOutcome(response, now: now()).judged(by: policy, from: .success(response))
    }
  }
}

extension Publisher where Output == DownloadEvent, Failure == any Error {
  /// Resumes a download, according to a policy, as `retry(_:)` of a response does.
  ///
  /// It begins again if the server cannot resume.
  ///
  /// The policy's times do not cut an attempt off: ``RetryPolicy/totalTime`` limits the time in
  /// which retries may begin.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<DownloadEvent, any Error> {
    retrying(policy, isTimed: false) { event, _ in
      guard case .finished = event else { return nil }
      return .status(200, retryAfter: nil)
    }
  }
}

extension Publisher where Failure == any Error {
  /// - Parameters:
  ///   - isTimed: Whether an attempt may be cut off, because it delivers a single value.
  ///   - delivery: A closure that makes the record of a stream's delivered values; nil if an
  ///     attempt may begin again.
  ///   - outcome: A closure that returns the outcome of an attempt from a value and the time of
  ///     day, or nil if the value does not end the attempt.
  func retrying(
    _ policy: RetryPolicy, isTimed: Bool,
    delivery: (@Sendable () -> StreamDelivery<Output>)? = nil,
    outcome: @escaping @Sendable (Output, () -> Date) -> AttemptOutcome?
  ) -> AnyPublisher<Output, any Error> {
    let request = eraseToAnyPublisher()
    return DeferredInContext { context -> AnyPublisher<Output, any Error> in
      guard !context.options.isRetried else { return request }
      let delivery = delivery?()
      var policy = policy
      // The breaks of a stream that lives for days would use up the budget of the calls.
      if delivery?.isResumable == true { policy.budget = policy.budget?.separate }
      let call = RepeatedCall(policy, cause: .retry, in: context) { options in
        if delivery?.isResumable == true { delivery?.join(&options) }
      }
      let decision = RetryDecision(
        call: call, request: request, isTimed: isTimed, delivery: delivery, outcome: outcome)
      return decision.attempts(in: context)
    }
    .eraseToAnyPublisher()
  }
}
