extension Publisher {
  /// Transforms each value with a closure that may throw.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryMap { if $0 == 3 { throw Refused() }; return $0 * 2 }
  /// result: --2--4--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: A closure that runs for each value, on the upstream's thread.
  @_disfavoredOverload
  @inlinable public func tryMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput
  ) -> Publishers.TryMap<Self, NewOutput, any Error> {
    Publishers.TryMap(Publishers.Staged(self, Publishers.TryMapStage(transform)) { $0 })
  }

  /// As ``tryMap(_:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable public func tryMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws(Failure) -> NewOutput
  ) -> Publishers.TryMap<Self, NewOutput, Failure> {
    Publishers.TryMap(through(Publishers.TryMapStage(transform)))
  }

  /// As ``tryMap(_:)``, for a publisher that cannot fail and a closure that throws a typed error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryMap<NewOutput: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Output) throws(NewFailure) -> NewOutput
  ) -> Publishers.TryMap<Self, NewOutput, NewFailure> where Failure == Never {
    Publishers.TryMap(
      Publishers.Staged(self, Publishers.TryMapStage(transform), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of transformed values that fails with the closure's error.
  @frozen public struct TryMap<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher {
    @usableFromInline let base: Staged<Upstream, TryMapStage<Upstream.Output, Output, Failure>>

    @inlinable init(_ base: Staged<Upstream, TryMapStage<Upstream.Output, Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// Transforms each value.
  @frozen public struct TryMapStage<Input: Sendable, Output: Sendable, Failure: Error>: Stage {
    @usableFromInline let transform: @Sendable (Input) throws(Failure) -> Output

    @inlinable init(_ transform: @escaping @Sendable (Input) throws(Failure) -> Output) {
      self.transform = transform
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Output> {
      .pass(try transform(input))
    }
  }
}
