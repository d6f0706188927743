extension Publisher {
  /// Subscribes again when this publisher fails, after a wait that grows from failure to failure.
  ///
  /// Values that were delivered before a failure are delivered again. A new attempt is asked for
  /// what the earlier ones left unserved. Any number of attempts needs the stack of one.
  ///
  /// ```marble
  /// source: -a-#
  /// retry(backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler)
  /// result: -a--a--a-#
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's last failure, when there is no retry left, no time, or none is
  ///   wanted.
  /// - Completion: When an attempt finishes.
  /// - Cancellation: Cancels the attempt, or the wait with its timer, at once.
  /// - Delivery: Where the upstream delivers; attempts after the first are subscribed on the
  ///   scheduler.
  /// - Complexity: O(1) for each value and each attempt; one timer for each retry.
  ///
  /// - Parameters:
  ///   - backoff: How often, and how long to wait.
  ///   - scheduler: What measures the time and waits.
  ///   - generator: Where the jitter comes from; each subscription begins with a copy.
  ///   - isRetryable: Says whether to try again after a failure; always, unless it is given.
  @inlinable public func retry(
    backoff: Publishers.Backoff, scheduler: any Scheduler,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    when isRetryable: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> Publishers.RetryWithBackoff<Self, Empty<Never, Failure>> {
    retry(
      backoff: backoff, scheduler: scheduler, generator: generator, when: isRetryable,
      chainedPublisher: Empty())
  }

  /// As ``retry(backoff:scheduler:generator:when:)``, and runs another publisher between the wait
  /// and the attempt.
  ///
  /// Its values are ignored and its end is awaited. It is subscribed for each retry.
  ///
  /// ```marble
  /// source: -a-#
  /// retry(
  ///   backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler,
  ///   chainedPublisher: Empty<Never, TestError>())
  /// result: -a--a--a-#
  /// ```
  ///
  /// - Demand: The downstream's; asks the chained publisher for everything.
  /// - Errors: The upstream's last failure, when there is no retry left, no time, or none is
  ///   wanted; or the chained publisher's.
  /// - Cancellation: Cancels the attempt, the chained publisher, or the wait with its timer, at
  ///   once.
  /// - Delivery: Where the upstream delivers; attempts after the first are subscribed where the
  ///   chained publisher ends.
  ///
  /// - Parameters:
  ///   - backoff: How often, and how long to wait.
  ///   - scheduler: What measures the time and waits.
  ///   - generator: Where the jitter comes from; each subscription begins with a copy.
  ///   - isRetryable: Says whether to try again after a failure; always, unless it is given.
  ///   - chainedPublisher: Runs before each retry.
  @inlinable public func retry<Chained: Publisher>(
    backoff: Publishers.Backoff, scheduler: any Scheduler,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    when isRetryable: @escaping @Sendable (Failure) -> Bool = { _ in true },
    chainedPublisher: Chained
  ) -> Publishers.RetryWithBackoff<Self, Chained> where Chained.Failure == Failure {
    Deferred {
      let session = RetrySession(
        policy: backoff, scheduler: scheduler, generator: generator, isRetryable: isRetryable)
      return Publishers.RetryOn(
        upstream: map { value in
          session.valueCame()
          return value
        },
        chained: Deferred {
          Empty().delay(for: session.delay, scheduler: scheduler).append(chainedPublisher)
        },
        retries: .max, isRetryable: { session.shouldRetry(after: $0) })
    }
  }

  /// As ``retry(backoff:scheduler:generator:when:)``, and runs a publisher that cannot fail between
  /// the wait and the attempt.
  ///
  /// ```marble
  /// source: -a-#
  /// retry(
  ///   backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler,
  ///   chainedPublisher: Just("r"))
  /// result: -a--a--a-#
  /// ```
  ///
  /// - Demand: The downstream's; asks the chained publisher for everything.
  /// - Cancellation: Cancels the attempt, the chained publisher, or the wait with its timer, at
  ///   once.
  /// - Delivery: Where the upstream delivers; attempts after the first are subscribed where the
  ///   chained publisher ends.
  ///
  /// - Parameters:
  ///   - backoff: How often, and how long to wait.
  ///   - scheduler: What measures the time and waits.
  ///   - generator: Where the jitter comes from; each subscription begins with a copy.
  ///   - isRetryable: Says whether to try again after a failure; always, unless it is given.
  ///   - chainedPublisher: Runs before each retry.
  @inlinable public func retry<Chained: Publisher>(
    backoff: Publishers.Backoff, scheduler: any Scheduler,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    when isRetryable: @escaping @Sendable (Failure) -> Bool = { _ in true },
    chainedPublisher: Chained
  ) -> Publishers.RetryWithBackoff<Self, Publishers.SetFailureType<Chained, Failure>>
  where Chained.Failure == Never {
    retry(
      backoff: backoff, scheduler: scheduler, generator: generator, when: isRetryable,
      chainedPublisher: chainedPublisher.setFailureType(to: Failure.self))
  }
}

extension Publishers {
  /// A publisher that subscribes to its upstream again when it fails, as a backoff says.
  public typealias RetryWithBackoff<Upstream: Publisher, Chained: Publisher> =
    Deferred<RetryOn<Map<Upstream, Upstream.Output>, Deferred<RetryPause<Chained>>>>
  where Chained.Failure == Upstream.Failure

  /// A publisher that waits, and goes on with another one.
  public typealias RetryPause<Chained: Publisher> =
    Concatenate<Delay<Empty<Chained.Output, Chained.Failure>>, Chained>
}
