extension Publisher {
  /// Passes values and the end on as values, then finishes; so a failure can travel without ending
  /// the stream.
  ///
  /// The way back is ``dematerialize()``.
  ///
  /// ```marble
  /// source: --1--2--#
  /// materialize()
  /// result: --a--b--(c|)
  /// a = .value(1)
  /// b = .value(2)
  /// c = .completion(.failure(error))
  /// ```
  ///
  /// - Demand: The downstream's; the end, as a value, waits for demand too.
  /// - Errors: None: a failure is a value.
  /// - Completion: When the upstream ends, after the value that says how.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers, or where demand for the last value comes later.
  /// - Complexity: O(1) for each value.
  @inlinable
  public func materialize() -> Publishers.Materialize<Self> {
    Publishers.Materialize(upstream: self)
  }
}

extension Publishers {
  /// A publisher of signals as values.
  @frozen
  public struct Materialize<Upstream: Publisher>: Publisher {
    public typealias Output = Signal<Upstream.Output, Upstream.Failure>
    public typealias Failure = Never

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      TailSubscriber.connect(
        upstream, to: subscriber, through: MaterializeTail<Upstream.Output, Upstream.Failure>())
    }
  }
}

@frozen
@usableFromInline
struct MaterializeTail<Input: Sendable, InputFailure: Error>: Tail {
  @usableFromInline typealias Output = Signal<Input, InputFailure>

  @inlinable init() {}

  @inlinable var ratio: Int { 1 }

  @inlinable
  mutating func receive(_ input: Input) -> Output? { .value(input) }

  @inlinable
  mutating func end(_ completion: Subscribers.Completion<InputFailure>) -> TailEnd<Output, Never> {
    .value(.completion(completion))
  }
}
