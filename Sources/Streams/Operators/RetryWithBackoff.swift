extension Publisher {
  /// Subscribes again when this publisher fails, after a delay whose limit grows with each failure.
  ///
  /// Values delivered before a failure are delivered again. A new attempt gets the demand that the
  /// previous ones left unserved. The stack does not grow with the number of attempts.
  ///
  /// ```marble
  /// source: -a-#
  /// retry(backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler)
  /// result: -a--a--a-#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's last failure, if no retry or no time remains, or if `isRetryable`
  ///   returns false.
  /// - Completion: When an attempt finishes.
  /// - Cancellation: Cancels the attempt, or the delay and its timer, at once.
  /// - Delivery: On the upstream's thread. Attempts after the first are subscribed on the
  ///   scheduler.
  /// - Complexity: O(1) for each value and each attempt; one timer for each retry.
  ///
  /// - Parameters:
  ///   - backoff: The number of retries and the lengths of the delays.
  ///   - scheduler: The scheduler that measures the time and waits.
  ///   - generator: The source of the jitter. Each subscription begins with a copy.
  ///   - isRetryable: A closure that returns whether to retry after a failure. By default, every
  ///     failure is retried.
  @inlinable public func retry(
    backoff: Publishers.Backoff, scheduler: any Scheduler,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    when isRetryable: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> Publishers.RetryWithBackoff<Self, Empty<Never, Failure>> {
    retry(
      backoff: backoff, scheduler: scheduler, generator: generator, when: isRetryable,
      chainedPublisher: Empty())
  }

  /// As ``retry(backoff:scheduler:generator:when:)``, with another publisher between the delay and
  /// the attempt.
  ///
  /// The other publisher is subscribed for each retry. Its values are ignored, and its completion
  /// is awaited.
  ///
  /// ```marble
  /// source: -a-#
  /// retry(
  ///   backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler,
  ///   chainedPublisher: Empty<Never, TestError>())
  /// result: -a--a--a-#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. Requests everything from the chained publisher.
  /// - Errors: The upstream's last failure, if no retry or no time remains, or if `isRetryable`
  ///   returns false; or the chained publisher's failure.
  /// - Cancellation: Cancels the attempt, the chained publisher, or the delay and its timer, at
  ///   once.
  /// - Delivery: On the upstream's thread. Attempts after the first are subscribed on the thread on
  ///   which the chained publisher ends.
  ///
  /// - Parameters:
  ///   - backoff: The number of retries and the lengths of the delays.
  ///   - scheduler: The scheduler that measures the time and waits.
  ///   - generator: The source of the jitter. Each subscription begins with a copy.
  ///   - isRetryable: A closure that returns whether to retry after a failure. By default, every
  ///     failure is retried.
  ///   - chainedPublisher: A publisher that runs before each retry.
  @inlinable public func retry<Chained: Publisher>(
    backoff: Publishers.Backoff, scheduler: any Scheduler,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    when isRetryable: @escaping @Sendable (Failure) -> Bool = { _ in true },
    chainedPublisher: Chained
  ) -> Publishers.RetryWithBackoff<Self, Chained> where Chained.Failure == Failure {
    Publishers.RetryWithBackoff(
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
      })
  }

  /// As ``retry(backoff:scheduler:generator:when:)``, with a publisher that cannot fail between the
  /// delay and the attempt.
  ///
  /// ```marble
  /// source: -a-#
  /// retry(
  ///   backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler,
  ///   chainedPublisher: Just("r"))
  /// result: -a--a--a-#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. Requests everything from the chained publisher.
  /// - Cancellation: Cancels the attempt, the chained publisher, or the delay and its timer, at
  ///   once.
  /// - Delivery: On the upstream's thread. Attempts after the first are subscribed on the thread on
  ///   which the chained publisher ends.
  ///
  /// - Parameters:
  ///   - backoff: The number of retries and the lengths of the delays.
  ///   - scheduler: The scheduler that measures the time and waits.
  ///   - generator: The source of the jitter. Each subscription begins with a copy.
  ///   - isRetryable: A closure that returns whether to retry after a failure. By default, every
  ///     failure is retried.
  ///   - chainedPublisher: A publisher that runs before each retry.
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
  /// A publisher that subscribes to its upstream again when the upstream fails, with the delays of
  /// a backoff.
  @frozen public struct RetryWithBackoff<Upstream: Publisher, Chained: Publisher>: Publisher
  where Chained.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base:
      Deferred<RetryOn<Map<Upstream, Upstream.Output>, Deferred<RetryPause<Chained>>>>

    @inlinable init(
      _ base: Deferred<RetryOn<Map<Upstream, Upstream.Output>, Deferred<RetryPause<Chained>>>>
    ) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A publisher that waits and then continues with another one.
  public typealias RetryPause<Chained: Publisher> =
    Concatenate<Delay<Empty<Chained.Output, Chained.Failure>>, Chained>
}
