/// The state of one subscription of a retry with a policy: the number of failures and the start
/// time.
///
/// It is used only on the delivering context, one signal at a time. The generator, which may be
/// user code, therefore runs without a lock.
@usableFromInline final class RetrySession<Failure: Error>: Sendable {
  @usableFromInline struct State {
    @usableFromInline var generator: any RandomNumberGenerator & Sendable
    @usableFromInline var retries = 0
    @usableFromInline var start: Duration
    @usableFromInline var delay = Duration.zero

    @usableFromInline init(generator: any RandomNumberGenerator & Sendable, start: Duration) {
      self.generator = generator
      self.start = start
    }
  }

  @usableFromInline let mark = LeakMark("retrySession")
  @usableFromInline let policy: Publishers.Backoff
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let isRetryable: @Sendable (Failure) -> Bool
  @usableFromInline let state: Confined<State>

  @usableFromInline init(
    policy: Publishers.Backoff, scheduler: any Scheduler,
    generator: any RandomNumberGenerator & Sendable,
    isRetryable: @escaping @Sendable (Failure) -> Bool
  ) {
    self.policy = policy
    self.scheduler = scheduler
    self.isRetryable = isRetryable
    state = Confined(State(generator: generator, start: scheduler.now))
  }

  /// Decides whether to retry after a failure, and on the delay before the retry.
  @usableFromInline func shouldRetry(after error: Failure) -> Bool {
    guard isRetryable(error) else { return false }
    let now = scheduler.now
    return state.access { state in
      guard state.retries < policy.maxRetries else { return false }
      let delay = policy.delay(forRetry: state.retries, using: &state.generator)
      if let totalTime = policy.totalTime, now.since(state.start).adding(delay) > totalTime {
        return false
      }
      state.retries += 1
      state.delay = delay
      return true
    } ?? false
  }

  @usableFromInline var delay: Duration { state.access { $0.delay } ?? .zero }

  /// A value arrived.
  @usableFromInline func valueCame() {
    guard policy.resetsOnSuccess else { return }
    let now = scheduler.now
    _ = state.access { state in
      state.retries = 0
      state.start = now
    }
  }
}
