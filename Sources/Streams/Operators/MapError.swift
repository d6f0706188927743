extension Publisher {
  /// Expresses the failure as another type.
  ///
  /// ```marble
  /// source: --1--2--#
  /// mapError { Wrapped($0) }
  /// result: --1--2--#
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure, transformed.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Runs once, if the publisher fails, where it delivers.
  @inlinable public func mapError<NewFailure: Error>(
    _ transform: @escaping @Sendable (Failure) -> NewFailure
  ) -> Publishers.MapError<Self, NewFailure> {
    Publishers.MapError(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher with its failure expressed as another type.
  @frozen public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    public let upstream: Upstream
    public let transform: @Sendable (Upstream.Failure) -> Failure

    @inlinable public init(
      upstream: Upstream, transform: @escaping @Sendable (Upstream.Failure) -> Failure
    ) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      upstream.receive(
        subscriber: FailureMapping(downstream: subscriber, transform: transform))
    }
  }
}

/// Passes everything on, the failure as another type.
@frozen @usableFromInline
struct FailureMapping<Downstream: Subscriber, Failure: Error>: Subscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: @Sendable (Failure) -> Downstream.Failure
  @usableFromInline let watch = CancelWatch()

  @inlinable
  init(downstream: Downstream, transform: @escaping @Sendable (Failure) -> Downstream.Failure) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable var context: SubscriptionContext { downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    downstream.receive(subscription: watch.watching(subscription))
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    downstream.receive(input)
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    let end = completion.mapFailure(transform)
    if !watch.isCancelled { downstream.receive(completion: end) }
  }
}
