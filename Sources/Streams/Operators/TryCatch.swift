extension Publisher {
  /// Goes on with another publisher when this one fails, or fails with what the handler throws.
  ///
  /// - Parameter handler: Makes the replacement or throws, once, where the publisher delivers.
  @inlinable
  public func tryCatch<Replacement: Publisher>(
    _ handler: @escaping @Sendable (Failure) throws -> Replacement
  ) -> Publishers.TryCatch<Self, Replacement> where Replacement.Output == Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }
}

extension Publishers {
  /// A publisher that goes on with another one when its upstream fails, or fails anew.
  @frozen
  public struct TryCatch<Upstream: Publisher, Replacement: Publisher>: Publisher
  where Replacement.Output == Upstream.Output {
    public typealias Output = Upstream.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    public let handler: @Sendable (Upstream.Failure) throws -> Replacement

    @inlinable
    public init(
      upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) throws -> Replacement
    ) {
      self.upstream = upstream
      self.handler = handler
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == any Error {
      guard let source = SubscriptionRelay.start(for: subscriber).nextSource() else { return }
      upstream.receive(
        subscriber: CatchingSubscriber(
          source: source, mapFailure: { $0 as any Error },
          recover: { [handler] error in Result { try handler(error) } }))
    }
  }
}
