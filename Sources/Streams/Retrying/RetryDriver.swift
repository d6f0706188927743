import Synchronization

/// A driver that subscribes to a publisher again and again, with an optional chained publisher in
/// between.
///
/// Attempts are steps of a loop and not nested calls. A failure that arrives during a step only
/// adds one more step. The stack therefore does not grow with the number of attempts that fail
/// synchronously (contract C-5).
@usableFromInline
final class RetryDriver<Upstream: Publisher, Chained: Publisher, Downstream: Subscriber>: Sendable
where
  Chained.Output == Upstream.Output, Chained.Failure == Upstream.Failure,
  Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure
{
  @usableFromInline let mark = LeakMark("retryDriver")
  @usableFromInline let upstream: Upstream
  @usableFromInline let chained: Chained?
  @usableFromInline let isRetryable: @Sendable (Upstream.Failure) -> Bool
  @usableFromInline let relay: SubscriptionRelay<Downstream>
  @usableFromInline let remaining: Atomic<Int>
  @usableFromInline let isChainedNext = Atomic<Bool>(false)

  /// - Parameter chained: The publisher that runs before each retry. It has no values.
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
