extension Publisher {
  /// Goes on with another publisher when this one fails, or fails with what the handler throws.
  ///
  /// As ``catch(_:)``, with a handler that may throw.
  ///
  /// ```marble
  /// source: -1--#
  /// other:      --8-9|
  /// tryCatch { _ in other }
  /// result: -1----8-9|
  /// ```
  ///
  /// - Demand: The downstream's; the replacement is asked for what the upstream left unserved.
  /// - Errors: The replacement's failure, or what the handler throws.
  /// - Completion: When the upstream or the replacement finishes.
  /// - Cancellation: Cancels whichever runs; one from inside the handler is final, too.
  /// - Delivery: Where whichever runs delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter handler: Makes the replacement or throws, once, where the publisher delivers.
  @_disfavoredOverload
  @inlinable public func tryCatch<Replacement: Publisher>(
    _ handler: @escaping @Sendable (Failure) throws -> Replacement
  ) -> Publishers.TryCatch<Self, Replacement, any Error> where Replacement.Output == Output {
    Publishers.TryCatch(upstream: self, handler: handler) { $0 }
  }

  /// As ``tryCatch(_:)``, with a handler that throws the replacement's failure type, which is kept.
  ///
  /// - Errors: The replacement's failure, or what the handler throws, in their own type.
  @inlinable public func tryCatch<Replacement: Publisher>(
    _ handler: @escaping @Sendable (Failure) throws(Replacement.Failure) -> Replacement
  ) -> Publishers.TryCatch<Self, Replacement, Replacement.Failure>
  where Replacement.Output == Output {
    Publishers.TryCatch(upstream: self, handler: handler) { $0 }
  }

  /// As ``tryCatch(_:)``, with a replacement that cannot fail: the handler's error type becomes the
  /// failure's.
  ///
  /// - Errors: The replacement's failure, or what the handler throws, in their own type.
  @_disfavoredOverload
  @inlinable public func tryCatch<Replacement: Publisher, NewFailure: Error>(
    _ handler: @escaping @Sendable (Failure) throws(NewFailure) -> Replacement
  ) -> Publishers.TryCatch<Self, Replacement, NewFailure>
  where Replacement.Output == Output, Replacement.Failure == Never {
    Publishers.TryCatch(upstream: self, handler: handler, mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher that goes on with another one when its upstream fails, or fails anew.
  ///
  /// The replacement is asked for what the upstream left unserved. A cancel inside the handler is
  /// final: the replacement is then never subscribed.
  @frozen
  public struct TryCatch<Upstream: Publisher, Replacement: Publisher, Failure: Error>: Publisher
  where Replacement.Output == Upstream.Output {
    public typealias Output = Upstream.Output

    public let upstream: Upstream
    public let handler: @Sendable (Upstream.Failure) throws(Failure) -> Replacement
    @usableFromInline let mapFailure: @Sendable (Replacement.Failure) -> Failure

    @inlinable init(
      upstream: Upstream,
      handler: @escaping @Sendable (Upstream.Failure) throws(Failure) -> Replacement,
      mapFailure: @escaping @Sendable (Replacement.Failure) -> Failure
    ) {
      self.upstream = upstream
      self.handler = handler
      self.mapFailure = mapFailure
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      let relay = SubscriptionRelay.start(for: subscriber)
      relay.follow(upstream) { [handler, mapFailure] completion in
        guard case .failure(let error) = completion else { return relay.finish(.finished) }
        do throws(Failure) {
          relay.followLast(try handler(error), mapFailure: mapFailure)
        } catch {
          relay.finish(.failure(error))
        }
      }
    }
  }
}
