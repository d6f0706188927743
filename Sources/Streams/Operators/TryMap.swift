extension Publisher {
  /// Transforms each value with a closure that may throw.
  ///
  /// What the closure throws ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryMap { if $0 == 3 { throw Refused() }; return $0 * 2 }
  /// result: --2--4--#
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: What the closure throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput
  ) -> Publishers.TryMap<Self, NewOutput, any Error> {
    Publishers.TryMap(upstream: self, mapFailure: { $0 }, transform: transform)
  }

  /// As ``tryMap(_:)``, with a closure that throws the stream's own failure type, which is kept.
  ///
  /// - Demand: The downstream's.
  /// - Errors: What the closure throws, or the upstream's failure, in their own type.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws(Failure) -> NewOutput
  ) -> Publishers.TryMap<Self, NewOutput, Failure> {
    Publishers.TryMap(upstream: self, mapFailure: { $0 }, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// As ``tryMap(_:)``, of a stream that cannot fail: the closure's error type becomes the
  /// failure's.
  ///
  /// - Demand: The downstream's.
  /// - Errors: What the closure throws, in its own type.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Runs for each value, where the publisher delivers.
  @inlinable
  public func tryMap<NewOutput: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Output) throws(NewFailure) -> NewOutput
  ) -> Publishers.TryMap<Self, NewOutput, NewFailure> {
    Publishers.TryMap(upstream: self, mapFailure: impossible, transform: transform)
  }
}

extension Publishers {
  /// A publisher of transformed values that fails with what the transform throws.
  @frozen
  public struct TryMap<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher {
    public typealias Transform = @Sendable (Upstream.Output) throws(Failure) -> Output
    public typealias MapFailure = @Sendable (Upstream.Failure) -> Failure

    public let upstream: Upstream
    @usableFromInline let mapFailure: MapFailure
    public let transform: Transform

    @inlinable
    init(
      upstream: Upstream, mapFailure: @escaping MapFailure, transform: @escaping Transform
    ) {
      self.upstream = upstream
      self.mapFailure = mapFailure
      self.transform = transform
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.receive(
        subscriber: Inner(downstream: subscriber, mapFailure: mapFailure, transform: transform))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Output, Downstream.Failure == Failure {
      @usableFromInline let gate = UpstreamGate()
      @usableFromInline let downstream: Downstream
      @usableFromInline let mapFailure: MapFailure
      @usableFromInline let transform: Transform

      @inlinable
      init(
        downstream: Downstream, mapFailure: @escaping MapFailure, transform: @escaping Transform
      ) {
        self.downstream = downstream
        self.mapFailure = mapFailure
        self.transform = transform
      }

      @inlinable
      func receive(subscription: any Subscription) {
        guard gate.admit(subscription, for: Self.self) else { return }
        downstream.receive(subscription: subscription)
      }

      @inlinable
      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        guard gate.isOpen else {
          gate.reportStrayValue(for: Self.self)
          return .none
        }
        let output: Output
        do throws(Downstream.Failure) {
          output = try transform(input)
        } catch {
          if gate.abort() { downstream.receive(completion: .failure(error)) }
          return .none
        }
        return downstream.receive(output)
      }

      @inlinable
      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        guard gate.finish(for: Self.self) else { return }
        downstream.receive(completion: completion.mapFailure(mapFailure))
      }
    }
  }
}
