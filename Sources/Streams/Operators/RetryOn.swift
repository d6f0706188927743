extension Publisher {
  /// Subscribes again when this publisher fails in a certain way, each time after another publisher
  /// has completed: a request is sent again once its token was refreshed.
  ///
  /// For each matching failure, while retries remain, the chained publisher is subscribed and its
  /// completion awaited, whatever it emits; then this publisher is subscribed again, once. If the
  /// chained publisher fails, its failure is the stream's. Values that were delivered before a
  /// failure are delivered again. A cancel is honored in every state, also while the chained
  /// publisher runs.
  ///
  /// ```marble
  /// source: -1--#
  /// step:       --|
  /// retryOn({ _ in true }, retries: 1, chainedPublisher: step)
  /// result: -1-----1--#
  /// ```
  ///
  /// - Demand: The downstream's; each attempt is asked for what those before it left unserved. The
  ///   chained publisher is asked for everything, and its values are dropped.
  /// - Errors: A failure that does not match, the last where no retry remains, or the chained
  ///   publisher's.
  /// - Completion: When an attempt finishes.
  /// - Cancellation: Cancels whichever runs, also the chained publisher; nothing follows.
  /// - Delivery: Where the attempt delivers.
  /// - Complexity: O(1) for each value and each attempt.
  ///
  /// - Parameters:
  ///   - isRetryable: Says whether a failure is one to retry on.
  ///   - retries: How many times at most, beyond the first; none if it is not positive.
  ///   - chainedPublisher: Runs before each retry.
  @inlinable public func retryOn<Chained: Publisher>(
    _ isRetryable: @escaping @Sendable (Failure) -> Bool,
    retries: Int,
    chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Chained> where Chained.Failure == Failure {
    Publishers.RetryOn(
      upstream: self, chained: chainedPublisher, retries: retries, isRetryable: isRetryable)
  }

  /// Subscribes again when this publisher fails in a certain way, each time after a publisher that
  /// cannot fail has completed.
  ///
  /// As ``retryOn(_:retries:chainedPublisher:)``.
  ///
  /// - Errors: A failure that does not match, or the last where no retry remains.
  @inlinable public func retryOn<Chained: Publisher>(
    _ isRetryable: @escaping @Sendable (Failure) -> Bool,
    retries: Int,
    chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Publishers.SetFailureType<Chained, Failure>>
  where Chained.Failure == Never {
    retryOn(
      isRetryable, retries: retries,
      chainedPublisher: chainedPublisher.setFailureType(to: Failure.self))
  }
}

extension Publisher where Failure: Equatable {
  /// Subscribes again when this publisher fails with a certain error, each time after another
  /// publisher has completed.
  ///
  /// As ``retryOn(_:retries:chainedPublisher:)``.
  ///
  /// ```marble
  /// source: -1--#
  /// step:       --|
  /// retryOn(.first, retries: 1, chainedPublisher: step)
  /// result: -1-----1--#
  /// ```
  ///
  /// - Parameters:
  ///   - error: The failure to retry on.
  ///   - retries: How many times at most, beyond the first; none if it is not positive.
  ///   - chainedPublisher: Runs before each retry.
  @inlinable public func retryOn<Chained: Publisher>(
    _ error: Failure,
    retries: Int,
    chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Chained> where Chained.Failure == Failure {
    retryOn({ $0 == error }, retries: retries, chainedPublisher: chainedPublisher)
  }

  /// Subscribes again when this publisher fails with a certain error, each time after a publisher
  /// that cannot fail has completed.
  ///
  /// As ``retryOn(_:retries:chainedPublisher:)``.
  ///
  /// ```marble
  /// source: -1--#
  /// step:       --|
  /// retryOn(.first, retries: 1, chainedPublisher: step)
  /// result: -1-----1--#
  /// ```
  ///
  /// - Errors: A failure that does not match, or the last where no retry remains.
  ///
  /// - Parameters:
  ///   - error: The failure to retry on.
  ///   - retries: How many times at most, beyond the first; none if it is not positive.
  ///   - chainedPublisher: Runs before each retry.
  @inlinable public func retryOn<Chained: Publisher>(
    _ error: Failure,
    retries: Int,
    chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Publishers.SetFailureType<Chained, Failure>>
  where Chained.Failure == Never {
    retryOn({ $0 == error }, retries: retries, chainedPublisher: chainedPublisher)
  }
}

extension Publishers {
  /// A publisher that subscribes to its upstream again when it fails in a certain way, each time
  /// after a chained publisher has completed.
  ///
  /// A new attempt is asked for what the earlier ones left unserved. The stack does not grow with
  /// the number of attempts.
  @frozen public struct RetryOn<Upstream: Publisher, Chained: Publisher>: Publisher
  where Chained.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    /// Runs before each retry, where there is one.
    public let chained: Chained?
    public let retries: Int
    public let isRetryable: @Sendable (Failure) -> Bool

    @inlinable public init(
      upstream: Upstream, chained: Chained?, retries: Int,
      isRetryable: @escaping @Sendable (Failure) -> Bool
    ) {
      self.upstream = upstream
      self.chained = chained
      self.retries = retries
      self.isRetryable = isRetryable
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      RetryDriver(
        upstream: upstream, chained: chained.map { $0.ignoreOutput().map(impossible) },
        retries: retries, relay: .start(for: subscriber), isRetryable: isRetryable
      ).step()
    }
  }
}
