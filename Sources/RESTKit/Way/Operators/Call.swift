import Streams

extension Publisher where Output: Sendable, Failure == any Error {
  /// Ends all calls of the upstream pipeline at an instant.
  ///
  /// ```swift
  /// api.get(endpoint: "orders/7")
  ///   .decode(type: Order.self)
  ///   .flatMap { api.get(endpoint: "customers/\($0.customer)") }
  ///   .call(deadline: .after(.seconds(5)))
  /// ```
  ///
  /// The deadline travels with the subscription to each verb of the pipeline, also to those in a
  /// `flatMap`. At that instant all their work is cancelled: attempts, waits between them, a wait
  /// for a token or for a turn of a ``RateLimiter``, redirects, bodies that arrive in pieces. If
  /// the wait for a retry would pass the deadline, the retry does not begin, and the last outcome
  /// is delivered at once. Of several deadlines the earliest applies, so that an inner one can only
  /// shorten the time. A refresh and an exchange continue for other calls that share them.
  ///
  /// A retry downstream does not retry a call that ended at its deadline. A closure that awaits a
  /// value begins a new pipeline without this deadline. So does an upstream that subscribers share.
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure; at the deadline ``RESTError`` of kind `transport(.timedOut)`
  ///   with a ``CallDeadlineError``, and with the request, the attempts and the log of the call
  ///   that sent a request last. If the deadline has passed at the subscription, nothing is sent.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream and the one timer.
  /// - Delivery: Where the upstream delivers; the failure at the deadline on its scheduler.
  ///
  /// - Parameter deadline: The instant.
  public func call(deadline: CallDeadline) -> AnyPublisher<Output, any Error> {
    let upstream = eraseToAnyPublisher()
    return DeferredInContext { context -> AnyPublisher<Output, any Error> in
      let remaining = deadline.remaining
      let outer = context.options.deadline
      if let outer = outer?.deadline, outer.remaining <= remaining { return upstream }
      let record = DeadlineRecord(of: deadline, within: outer, around: context.call)
      guard remaining > .zero else { return Fail(error: record.failure).eraseToAnyPublisher() }
      let clock =
        TestTime.current?.timing(deadline.scheduler, by: "CallDeadline") { record.request }
        ?? deadline.scheduler
      let timer = Empty<Never, Never>().delay(for: remaining, scheduler: clock)
      return Publishers.UntilOutput(
        upstream.options { $0.deadline = record }, other: timer, isPrefix: true
      ) { _ in
        record.end()
        return .failure(DeadlineIsOver())
      }
      // The sent requests are known only after the upstream is cancelled.
      .mapError { error in error is DeadlineIsOver ? record.failure : error }
      .eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }
}

/// The end at the deadline, before it is known what was sent.
private struct DeadlineIsOver: Error {}
