import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Returns a publisher of the responses of a long poll: each request is made of the last
  /// response, and repeated after a failure.
  ///
  /// ```swift
  /// struct Sync: Endpoint {
  ///   struct Response: Decodable, Sendable { let next: String; let events: [Event] }
  ///   var since: String?
  ///   let path: ResourcePath = "sync"
  ///   var query: QueryItems { ["since": since, "timeout": 30_000] }
  ///   let timeout = Duration.seconds(40)  // the server's 30 s and a reserve
  /// }
  ///
  /// api.longPoll(from: Sync()) { _, response in Sync(since: response.next) }
  /// ```
  ///
  /// The next request leaves at once after a response. After a failure that
  /// ``ReconnectPolicy/retry`` calls transient, the same request is sent again after a wait: the
  /// policy's ``ReconnectPolicy/delay`` and a random time, which grows up to
  /// ``ReconnectPolicy/maxDelay`` with each failure in a row; a `Retry-After` up to
  /// ``ReconnectPolicy/maxRetryAfter`` is added. A response starts the count anew, and fills the
  /// budget, which belongs to the subscription. ``ReconnectPolicy/maxFailures`` limits the failures
  /// in a row. The API's and the endpoint's own retry policies do not repeat a poll besides. The
  /// other properties of the policy have no effect here: the endpoint's ``Endpoint/timeout`` limits
  /// the time of each poll, so it must be longer than the server's.
  ///
  /// Each request carries the current token of the API's session, and a 401 allows one refresh for
  /// each of them. The poll stays that of its first user: after a sign-out it fails with
  /// ``TokenSessionError/signedOut``, in a wait at once, also if another user signs in. An open
  /// request goes on, and its response is not delivered; `prefix(untilOutputFrom:
  /// session.signOuts)` ends it at a sign-out at once. A request whose method may not be repeated,
  /// such as `POST` without an `Idempotency-Key`, is not sent again after a failure that may have
  /// reached the server.
  ///
  /// - Demand: The first request is sent with the subscription, and each further one when there is
  ///   demand for its response, so at most one response is on its way or waits. With unlimited
  ///   demand, the next request leaves when the subscriber has received the last response.
  /// - Errors: The first failure that is not transient, such as a 404 or a response that does not
  ///   decode, or the last one that the policy allows, with the log of that poll's attempts.
  /// - Completion: Right after the response for which `next` returns nil.
  /// - Cancellation: Ends the request, or the wait for the next one, at once.
  /// - Delivery: On the transport's thread.
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first request. A resubscription begins with it again; to go on,
  ///     make it of the last response that was handled.
  ///   - policy: The policy that decides what follows a failure.
  ///   - requestModifier: A closure that changes each request before it is sent.
  ///   - next: A closure that returns the endpoint of the request after a response, or nil after
  ///     the last.
  public func longPoll<Poll: Endpoint>(
    from first: Poll, reconnecting policy: ReconnectPolicy = ReconnectPolicy(),
    requestModifier: @escaping RequestModifier = { $0 },
    next: @escaping @Sendable (Poll, Poll.Response) -> Poll?
  ) -> AnyPublisher<Poll.Response, any Error> {
    longPollExchanges(
      from: first, reconnecting: policy, requestModifier: requestModifier, next: next
    )
    .map(\.response).eraseToAnyPublisher()
  }

  /// Returns a publisher of the exchanges of a long poll: each response with the endpoint that it
  /// answers.
  ///
  /// For a reader that needs the place from which a response goes on, such as one that fetches what
  /// a server has left out in between:
  ///
  /// ```swift
  /// api.longPollExchanges(from: Sync()) { _, response in Sync(since: response.next) }
  ///   .flatMap(maxPublishers: .max(1)) { poll, response in
  ///     response.isComplete ? just(response) : missed(since: poll.since, before: response)
  ///   }
  /// ```
  ///
  /// Otherwise it is ``longPoll(from:reconnecting:requestModifier:next:)``, whose parameters and
  /// promises it has.
  public func longPollExchanges<Poll: Endpoint>(
    from first: Poll, reconnecting policy: ReconnectPolicy = ReconnectPolicy(),
    requestModifier: @escaping RequestModifier = { $0 },
    next: @escaping @Sendable (Poll, Poll.Response) -> Poll?
  ) -> AnyPublisher<(request: Poll, response: Poll.Response), any Error> {
    let retry = retry
    return Deferred {
      let polling = Polling(policy, retry: policy.retryOfStream(besides: retry))
      typealias Exchange = (request: Poll, response: Poll.Response)
      let fetch: @Sendable (Poll) -> AnyPublisher<Exchange, any Error> = { poll in
        polling.response(to: publisher(for: poll, requestModifier: requestModifier))
          .map { Exchange(poll, $0) }.eraseToAnyPublisher()
      }
      return fetch(first)
        .expand { last in
          next(last.request, last.response).map(fetch) ?? Empty().eraseToAnyPublisher()
        }
    }
    .eraseToAnyPublisher()
  }
}

/// One subscription to a long poll: what its requests have in common.
private final class Polling: Sendable {
  private let policy: ReconnectPolicy
  /// The policy that decides what is transient, with the budget of the subscription.
  private let retry: RetryPolicy
  /// The call of the last request, whose user the next one keeps.
  private let last = Lock<LogicalCall?>(nil)

  init(_ policy: ReconnectPolicy, retry: RetryPolicy) {
    self.policy = policy
    self.retry = retry
  }

  /// Returns a publisher of the response to a request, which is repeated after a failure.
  func response<Output: Sendable>(
    to request: AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error> {
    DeferredInContext { [self] context -> AnyPublisher<Output, any Error> in
      let call = RepeatedCall(retry, cause: .reconnect, in: context)
      let before = last.withLock { last in
        defer { last = call.logical }
        return last
      }
      if let before { call.logical.keepUsers(of: before) }
      return RepeatedPoll(request, policy, call: call).attempts(in: context)
        .tryMap { output in
          // The response is another user's by now, or nobody's.
          if call.user?.isOver == true { throw TokenSessionError.signedOut }
          return output
        }
        .eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }
}

/// One request of a long poll, which is repeated after a failure.
private final class RepeatedPoll<Output: Sendable>: RepeatDecision {
  let call: RepeatedCall
  private let request: AnyPublisher<Output, any Error>
  private let machine: Lock<ReconnectMachine>

  init(
    _ request: AnyPublisher<Output, any Error>, _ policy: ReconnectPolicy, call: RepeatedCall
  ) {
    self.request = request
    self.call = call
    machine = Lock(ReconnectMachine(policy, rule: call.rule))
  }

  func attempt(_ number: Int) -> AnyPublisher<Output, any Error> {
    // A token may expire more than once while the server is unreachable, and each poll of a longer
    // call is a request of its own.
    call.logical.renewRefresh()
    return request
  }

  func outcome(of value: Output) -> AttemptOutcome? {
    // An endpoint may take any response as it is. One that is transient is not the answer.
    guard let response = value as? RESTResponse else { return nil }
    let outcome = AttemptOutcome(response, now: call.policy.wallClock())
      .reading(response, by: call.policy)
    return call.rule.isTransient(outcome) ? outcome : nil
  }

  func outcome(of end: Subscribers.Completion<any Error>) -> AttemptOutcome? {
    guard case .failure(let error) = end else { return nil }
    return AttemptOutcome(ofConnection: error, now: call.policy.wallClock())
      .reading(error, by: call.policy)
  }

  func step(after outcome: AttemptOutcome) -> RepeatStep {
    call.step(after: outcome, by: machine)
  }

  func note(_ value: Output) {
    call.policy.budget?.fill()
  }
}
