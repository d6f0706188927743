extension Publisher {
  /// Subscribes again after certain failures, each time after another publisher has completed.
  ///
  /// For example, it sends a request again after a refresh of the token.
  ///
  /// For each matching failure, while retries remain, the operator subscribes to the chained
  /// publisher and waits for its completion. The chained publisher's values are ignored. Then the
  /// operator subscribes to this publisher again, once. If the chained publisher fails, the stream
  /// fails with its failure. Values delivered before a failure are delivered again. A cancel takes
  /// effect in every state, also while the chained publisher runs.
  ///
  /// ```marble
  /// source: -1--#
  /// step:       --|
  /// retryOn({ _ in true }, retries: 1, chainedPublisher: step)
  /// result: -1-----1--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. Each attempt gets the part that the previous ones
  ///   left unserved. Requests everything from the chained publisher and drops its values.
  /// - Errors: A failure that does not match, the last failure if no retry remains, or the chained
  ///   publisher's failure.
  /// - Completion: When an attempt finishes.
  /// - Cancellation: Cancels the publisher that runs, also the chained one. No other publisher
  ///   starts after that.
  /// - Delivery: On the thread of the attempt.
  /// - Complexity: O(1) for each value and each attempt.
  ///
  /// - Parameters:
  ///   - isRetryable: A closure that returns whether to retry after a failure.
  ///   - retries: The maximum number of retries after the first attempt. A number that is not
  ///     positive means none.
  ///   - chainedPublisher: A publisher that runs before each retry.
  @inlinable public func retryOn<Chained: Publisher>(
    _ isRetryable: @escaping @Sendable (Failure) -> Bool,
    retries: Int,
    chainedPublisher: Chained
  ) -> Publishers.RetryOn<Self, Chained> where Chained.Failure == Failure {
    Publishers.RetryOn(
      upstream: self, chained: chainedPublisher, retries: retries, isRetryable: isRetryable)
  }

  /// Subscribes again after certain failures, each time after a publisher that cannot fail has
  /// completed.
  ///
  /// As ``retryOn(_:retries:chainedPublisher:)``.
  ///
  /// - Errors: A failure that does not match, or the last failure if no retry remains.
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
  ///   - retries: The maximum number of retries after the first attempt. A number that is not
  ///     positive means none.
  ///   - chainedPublisher: A publisher that runs before each retry.
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
  /// - Errors: A failure that does not match, or the last failure if no retry remains.
  ///
  /// - Parameters:
  ///   - error: The failure to retry on.
  ///   - retries: The maximum number of retries after the first attempt. A number that is not
  ///     positive means none.
  ///   - chainedPublisher: A publisher that runs before each retry.
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
  /// A publisher that subscribes to its upstream again after certain failures, each time after a
  /// chained publisher has completed.
  ///
  /// A new attempt gets the demand that the previous ones left unserved. The stack does not grow
  /// with the number of attempts.
  @frozen public struct RetryOn<Upstream: Publisher, Chained: Publisher>: Publisher
  where Chained.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    /// The publisher that runs before each retry, or nil if there is none.
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
