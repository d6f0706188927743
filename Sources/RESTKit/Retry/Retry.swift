import Foundation
import Streams

extension Publisher where Failure == any Error {
  /// Sends the requests of this publisher again, according to a policy, if an attempt fails in a
  /// transient way, such as with a 503 or a lost connection.
  ///
  /// ```swift
  /// api.publisher(for: OrderByID(id: 7)).retry(policy)
  /// api.get(endpoint: "orders").decode(type: [Order].self).retry(policy)
  /// ```
  ///
  /// Each attempt subscribes to this publisher again, so that its modifiers run again. After the
  /// last attempt, its outcome passes unchanged; a failure has every attempt in its
  /// ``RESTError/log``. Of several retries around one request, only the outermost applies. An API's
  /// own ``RESTAPI/retry`` is the innermost.
  ///
  /// What an attempt is worth depends on the outputs:
  ///
  /// - A `RESTResponse` with a transient status is an outcome, too. After the last attempt it is
  ///   delivered as a value. Earlier responses are released before the wait begins.
  /// - Of any other value, such as a decoded one, only a failure counts: a ``RESTError`` of kind
  ///   `status` or `transport`. Any other error is delivered at once. If an attempt has delivered a
  ///   value, it is not repeated, because the value would be delivered twice; the log has this
  ///   reason. So put this operator before those that add values, such as `prepend`. Several
  ///   requests in one pipeline, as of `pages`, are retried one by one by ``RESTAPI/retry`` or
  ///   ``Endpoint/retry``.
  /// - The progress of an upload begins again with each attempt.
  /// - A download resumes, and begins again if the server cannot resume.
  /// - A response in pieces is requested again if no chunk of its body was delivered.
  ///   `retry(_:resume:)` resumes it. A response with a transient status is delivered only after
  ///   the last attempt. A second head may arrive if the first response broke before its first
  ///   chunk.
  ///
  /// A body from a publisher that can give its chunks only once is never sent again. The policy's
  /// times cut off an attempt that has not delivered a value. They do not cut off an upload, a
  /// download or a response in pieces, also if its outputs are decoded: there,
  /// ``RetryPolicy/totalTime`` limits the time in which retries may begin.
  ///
  /// - Demand: Forwards the downstream's demand. Each attempt gets the part that the previous ones
  ///   left unserved.
  /// - Errors: The last attempt's failure; ``TokenSessionError/signedOut``, at once, if the user of
  ///   the requests signs out in a wait; ``RESTError`` of kind `transport(.timedOut)` if a time of
  ///   the policy is over.
  /// - Completion: When an attempt finishes.
  /// - Cancellation: Ends the attempt, or the wait and its timer, at once.
  /// - Delivery: On this publisher's thread. The policy's scheduler subscribes the attempts after
  ///   the first.
  /// - Complexity: O(1) for each value; one timer for each retry.
  ///
  /// - Parameter policy: The rules for the repetitions, their number and the waits between them.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<Output, any Error> {
    if let kind = Output.self as? any AttemptOutput.Type { return retrying(policy, kind) }
    return retrying(
      policy, isTimed: true, delivery: { StreamDelivery(resume: nil, length: { _ in 0 }) })
  }

  /// - Parameter kind: The type of the outputs.
  private func retrying<Value: AttemptOutput>(
    _ policy: RetryPolicy, _ kind: Value.Type
  ) -> AnyPublisher<Output, any Error> {
    let delivery: @Sendable () -> StreamDelivery<Output> = {
      StreamDelivery(resume: nil, length: { ($0 as? Value)?.isPart == true ? 0 : nil })
    }
    return retrying(
      policy, isTimed: Value.isWhole, delivery: Value.hasParts ? delivery : nil
    ) { output, now in
      (output as? Value)?.outcome(now: now)
    }
  }
}

extension Publisher {
  /// A policy decides by the ``RESTError`` of an attempt.
  @available(
    *, unavailable,
    message: """
      a RetryPolicy decides by RESTError, so the failure must be 'any Error': put retry(_:) before \
      the operator that changes the failure, such as mapError, or widen it with mapError { $0 }
      """
  )
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<Output, Failure> {
    eraseToAnyPublisher()
  }
}

extension Publisher where Failure == any Error {
  /// - Parameters:
  ///   - isTimed: Whether an attempt may be cut off before its first value, unless its request is
  ///     one in pieces.
  ///   - delivery: A closure that makes the record of a stream's delivered values; nil if an
  ///     attempt may begin again.
  ///   - outcome: A closure that returns the outcome of an attempt from a value and the time of
  ///     day, or nil if the value does not end the attempt; nil if only the end shows the outcome.
  func retrying(
    _ policy: RetryPolicy, isTimed: Bool,
    delivery: (@Sendable () -> StreamDelivery<Output>)? = nil,
    outcome: (@Sendable (Output, () -> Date) -> AttemptOutcome?)? = nil
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
