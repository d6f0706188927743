extension Publisher {
  /// Continues with another publisher when this one fails, or fails with the handler's error.
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
  /// - Demand: Forwards the downstream's demand. The replacement gets the part that the upstream
  ///   left unserved.
  /// - Errors: The replacement's failure or the handler's error.
  /// - Completion: When the upstream or the replacement finishes.
  /// - Cancellation: Cancels the publisher that runs. A cancel from inside the handler is final,
  ///   too.
  /// - Delivery: On the thread of the publisher that runs.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter handler: A closure that makes the replacement or throws. It runs once, on the
  ///   upstream's thread.
  @_disfavoredOverload
  @inlinable public func tryCatch<Replacement: Publisher>(
    _ handler: @escaping @Sendable (Failure) throws -> Replacement
  ) -> Publishers.TryCatch<Self, Replacement, any Error> where Replacement.Output == Output {
    Publishers.TryCatch(upstream: self, handler: handler) { $0 }
  }

  /// As ``tryCatch(_:)``, with a handler that throws the replacement's failure type.
  ///
  /// - Errors: The replacement's failure or the handler's error, with its type.
  @inlinable public func tryCatch<Replacement: Publisher>(
    _ handler: @escaping @Sendable (Failure) throws(Replacement.Failure) -> Replacement
  ) -> Publishers.TryCatch<Self, Replacement, Replacement.Failure>
  where Replacement.Output == Output {
    Publishers.TryCatch(upstream: self, handler: handler) { $0 }
  }

  /// As ``tryCatch(_:)``, with a replacement that cannot fail and a handler that throws a typed
  /// error.
  ///
  /// - Errors: The replacement's failure or the handler's error, with its type.
  @_disfavoredOverload
  @inlinable public func tryCatch<Replacement: Publisher, NewFailure: Error>(
    _ handler: @escaping @Sendable (Failure) throws(NewFailure) -> Replacement
  ) -> Publishers.TryCatch<Self, Replacement, NewFailure>
  where Replacement.Output == Output, Replacement.Failure == Never {
    Publishers.TryCatch(upstream: self, handler: handler, mapFailure: impossible)
  }
}

extension Publishers {
  /// A publisher that continues with another one when its upstream fails, or fails with the
  /// handler's error.
  ///
  /// The replacement gets the demand that the upstream left unserved. A cancel inside the handler
  /// is final: the replacement is then never subscribed.
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
