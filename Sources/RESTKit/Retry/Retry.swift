import Foundation
import Streams

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// Sends a request again, as a policy says, when it fails or is answered with a status that means
  /// "not now".
  ///
  /// Each attempt subscribes to this publisher anew, so that its modifiers run again. When there is
  /// no further one, the last outcome comes through as it is: a failure with every attempt in its
  /// ``RESTError/log``, and a response as a value, whose log `validateStatus()` and `decode` put into
  /// their errors. The responses before are let go before the wait begins.
  ///
  /// Of several retries around one request the outermost counts; an API's own
  /// ``RESTAPI/retry`` is the innermost. A cancel ends the attempt, or the wait and its timer,
  /// at once. Values arrive where this publisher delivers; attempts after the first are subscribed
  /// on the policy's scheduler.
  ///
  /// - Parameter policy: What is tried again, how often, and after which wait.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<RESTResponse, any Error> {
    retrying(policy, isTimed: true) { response, now in
      // Another attempt would find the same kept.
      guard !response.isFromCache else { return nil }
      return AttemptOutcome(response, now: now())
    }
  }
}

extension Publisher where Output == UploadEvent, Failure == any Error {
  /// Sends an upload again, as a policy says, in the way of `retry(_:)` of a response.
  ///
  /// Progress begins anew with each attempt. A body of a publisher that gives its chunks once is
  /// never sent again. The times of the policy cut no attempt: ``RetryPolicy/totalTime`` is how long
  /// retries may begin for.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<UploadEvent, any Error> {
    retrying(policy, isTimed: false) { event, now in
      guard case .response(let response) = event else { return nil }
      return AttemptOutcome(response, now: now())
    }
  }
}

extension Publisher where Output == DownloadEvent, Failure == any Error {
  /// Begins a download again, as a policy says, where it stopped if the server can do that, in
  /// the way of `retry(_:)` of a response.
  ///
  /// The times of the policy cut no attempt: ``RetryPolicy/totalTime`` is how long retries may begin
  /// for.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<DownloadEvent, any Error> {
    retrying(policy, isTimed: false) { event, _ in
      guard case .finished = event else { return nil }
      return .status(200, retryAfter: nil)
    }
  }
}

extension Publisher where Failure == any Error {
  /// - Parameters:
  ///   - isTimed: Whether an attempt may be cut: one that brings a single value.
  ///   - delivery: Makes what knows what was delivered of a stream; nil where an attempt may begin anew.
  ///   - outcome: What a value says of the attempt, with the time of day; nil where it is not the last.
  func retrying(
    _ policy: RetryPolicy, isTimed: Bool,
    delivery: (@Sendable () -> StreamDelivery<Output>)? = nil,
    outcome: @escaping @Sendable (Output, () -> Date) -> AttemptOutcome?
  ) -> AnyPublisher<Output, any Error> {
    let request = eraseToAnyPublisher()
    return DeferredInContext { context in
      guard !context[IsRetried.self] else { return request }
      let call = context.call ?? LogicalCall(clock: policy.scheduler, in: context)
      let retried = RetriedCall(
        policy, call: call, in: context, request: request, isTimed: isTimed,
        delivery: delivery?(), outcome: outcome)
      return Relay(retried.attempt, ending: call, in: context).eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }
}
