import Streams

extension Publisher where Output: Sendable, Failure == any Error {
  /// Ends all calls of the pipeline before it at an instant.
  ///
  /// ```swift
  /// api.get(endpoint: "orders/7")
  ///   .decode(type: Order.self)
  ///   .flatMap { api.get(endpoint: "customers/\($0.customer)") }
  ///   .call(deadline: .after(.seconds(5)))
  /// ```
  ///
  /// The deadline travels with the subscription to each verb of the pipeline, those in a `flatMap` too.
  /// Whatever they do at that instant is cancelled: attempts, waits between them, a wait for a token or
  /// for a turn of a ``RateLimiter``, redirects, bodies that come in pieces. A retry whose wait would pass
  /// the deadline does not begin; the last outcome comes at once. Of several deadlines the earliest counts,
  /// so an inner one can only shorten the time. A refresh and an exchange that other calls share go on for
  /// those.
  ///
  /// A retry behind it does not retry what its deadline ended. A closure that awaits a value begins a
  /// pipeline of its own, without this deadline; so does what subscribers share.
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure; at the deadline ``RESTError`` of kind `transport(.timedOut)` with a
  ///   ``CallDeadlineError``, and with the request, the attempts and the log of the call that sent a request
  ///   last. Where the deadline has passed at the subscription, nothing is sent.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream and the one timer.
  /// - Delivery: Where the upstream delivers; the failure at the deadline on its scheduler.
  ///
  /// - Parameter deadline: The instant.
  public func call(deadline: CallDeadline) -> AnyPublisher<Output, any Error> {
    let upstream = eraseToAnyPublisher()
    return DeferredInContext { context -> AnyPublisher<Output, any Error> in
      let remaining = deadline.remaining
      if let outer = context[DeadlineRecord.Key.self]?.deadline, outer.remaining <= remaining {
        return upstream
      }
      let record = DeadlineRecord(of: deadline, in: context)
      guard remaining > .zero else { return Fail(error: record.failure).eraseToAnyPublisher() }
      let timer = Empty<Never, Never>().delay(for: remaining, scheduler: deadline.scheduler)
      return Publishers.UntilOutput(
        upstream.context(DeadlineRecord.Key.self, record), other: timer, isPrefix: true
      ) { _ in
        record.end()
        return .failure(DeadlineIsOver())
      }
      // What was sent is known once the upstream is cancelled, and not before.
      .mapError { error in error is DeadlineIsOver ? record.failure : error }
      .eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }
}

/// The end at the deadline, before it is told what was sent until then.
private struct DeadlineIsOver: Error {}
