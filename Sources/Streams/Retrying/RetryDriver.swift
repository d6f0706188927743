import Synchronization

/// Subscribes a publisher again and again, with a chained publisher in between where there is one.
///
/// Attempts are steps of a loop, not calls in calls: a failure that arrives while a step is still
/// running only says that there is one more step to take. So any number of attempts that fail
/// synchronously needs the stack of one (contract C-5).
@usableFromInline
final class RetryDriver<Upstream: Publisher, Chained: Publisher, Downstream: Subscriber>: Sendable
where
  Chained.Output == Upstream.Output, Chained.Failure == Upstream.Failure,
  Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure
{
  @usableFromInline let mark = LiveMark(.retryDriver)
  @usableFromInline let upstream: Upstream
  @usableFromInline let chained: Chained?
  @usableFromInline let isRetryable: @Sendable (Upstream.Failure) -> Bool
  @usableFromInline let relay: SubscriptionRelay<Downstream>
  @usableFromInline let remaining: Atomic<Int>
  @usableFromInline let isChainedNext = Atomic<Bool>(false)

  /// - Parameter chained: What runs before each retry; it has no values.
  @inlinable init(
    upstream: Upstream, chained: Chained?, retries: Int, relay: SubscriptionRelay<Downstream>,
    isRetryable: @escaping @Sendable (Upstream.Failure) -> Bool
  ) {
    self.upstream = upstream
    self.chained = chained
    self.isRetryable = isRetryable
    self.relay = relay
    remaining = Atomic(retries)
  }

  @inlinable func step() {
    relay.driver.trampoline.run {
      if let chained, isChainedNext.load(ordering: .relaxed) {
        relay.follow(chained) { [self] completion in
          guard case .finished = completion else { return relay.finish(completion) }
          isChainedNext.store(false, ordering: .relaxed)
          step()
        }
      } else {
        relay.follow(upstream) { [self] completion in
          let remaining = remaining.load(ordering: .relaxed)
          guard case .failure(let error) = completion, remaining > 0, isRetryable(error) else {
            return relay.finish(completion)
          }
          self.remaining.store(remaining - 1, ordering: .relaxed)
          isChainedNext.store(chained != nil, ordering: .relaxed)
          step()
        }
      }
    }
  }
}
