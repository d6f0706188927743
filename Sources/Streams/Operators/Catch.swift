extension Publisher {
  /// Goes on with another publisher when this one fails.
  ///
  /// ```marble
  /// source: -1--#
  /// other:      --8-9|
  /// catch { _ in other }
  /// result: -1----8-9|
  /// ```
  ///
  /// - Demand: The downstream's; the replacement is asked for what the upstream left unserved.
  /// - Errors: The replacement's failure.
  /// - Completion: When the upstream or the replacement finishes.
  /// - Cancellation: Cancels whichever runs; one from inside the handler is final, too.
  /// - Delivery: Where whichever runs delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter handler: Makes the replacement, once, where the publisher delivers.
  @inlinable
  public func `catch`<Replacement: Publisher>(
    _ handler: @escaping @Sendable (Failure) -> Replacement
  ) -> Publishers.Catch<Self, Replacement> where Replacement.Output == Output {
    Publishers.Catch(upstream: self, handler: handler)
  }
}

extension Publishers {
  /// A publisher that goes on with another one when its upstream fails.
  ///
  /// The replacement is asked for what the upstream left unserved. A cancel inside the handler is
  /// final: the replacement is then never subscribed.
  @frozen
  public struct Catch<Upstream: Publisher, Replacement: Publisher>: Publisher
  where Replacement.Output == Upstream.Output {
    public typealias Output = Upstream.Output
    public typealias Failure = Replacement.Failure

    public let upstream: Upstream
    public let handler: @Sendable (Upstream.Failure) -> Replacement

    @inlinable
    public init(
      upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) -> Replacement
    ) {
      self.upstream = upstream
      self.handler = handler
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      guard let source = SubscriptionRelay.start(for: subscriber).nextSource() else { return }
      upstream.receive(
        subscriber: CatchingSubscriber(
          source: source, mapFailure: { $0 }, recover: { [handler] in .success(handler($0)) }))
    }
  }
}

/// Subscribes the source whose failure a replacement may follow.
@frozen
@usableFromInline
struct CatchingSubscriber<Downstream: Subscriber, Failure: Error, Replacement: Publisher>:
  Subscriber
where Replacement.Output == Downstream.Input {
  @usableFromInline typealias Recover =
    @Sendable (Failure) -> Result<Replacement, Downstream.Failure>

  @usableFromInline let source: RelaySource<Downstream>
  @usableFromInline let mapFailure: @Sendable (Replacement.Failure) -> Downstream.Failure
  @usableFromInline let recover: Recover

  @inlinable
  init(
    source: RelaySource<Downstream>,
    mapFailure: @escaping @Sendable (Replacement.Failure) -> Downstream.Failure,
    recover: @escaping Recover
  ) {
    self.source = source
    self.mapFailure = mapFailure
    self.recover = recover
  }

  @inlinable
  func receive(subscription: any Subscription) {
    source.admit(subscription)
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    source.send(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard source.end() else { return }
    guard case .failure(let error) = completion else {
      source.relay.finish(.finished)
      return
    }
    switch recover(error) {
    case .failure(let error):
      source.relay.finish(.failure(error))
    case .success(let replacement):
      guard let next = source.relay.nextSource() else { return }
      replacement.receive(subscriber: LastRelaySubscriber(source: next, mapFailure: mapFailure))
    }
  }
}
