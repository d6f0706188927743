extension Publisher {
  /// Converts the failure to another type.
  ///
  /// ```marble
  /// source: --1--2--#
  /// mapError { Wrapped($0) }
  /// result: --1--2--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure, converted.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: A closure that runs once, if the publisher fails, on the upstream's
  ///   thread.
  @inlinable public func mapError<NewFailure: Error>(
    _ transform: @escaping @Sendable (Failure) -> NewFailure
  ) -> Publishers.MapError<Self, NewFailure> {
    Publishers.MapError(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher whose failure is converted to another type.
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

/// A subscriber that passes all signals on and converts the failure to another type.
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

extension Publishers.MapError: BarePublisher where Upstream: BarePublisher {
  @usableFromInline var endsAtOnce: Bool { upstream.endsAtOnce }
}
