extension Publisher {
  /// Keeps values that come before they are asked for, up to a number.
  ///
  /// ```marble
  /// source: -a-b-c-d-|
  /// demand: 1-------*
  /// buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
  /// result: -a------(cd)|
  /// ```
  ///
  /// - Demand: With `.keepFull`, asks the upstream for as many values as there is room for; with
  ///   `.byRequest`, for everything.
  /// - Errors: The upstream's failure, after the values that wait; the custom error as soon as
  ///   there is no room, without waiting for demand, and without those values.
  /// - Completion: When the upstream has finished and no value waits.
  /// - Cancellation: Cancels the upstream and releases what waits.
  /// - Delivery: Where the upstream delivers, or where demand for a value that waits comes later.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - size: How many values can wait; at least one.
  ///   - prefetch: How many values to ask for ahead.
  ///   - whenFull: What to do with a value for which there is no room.
  @inlinable
  public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }
}

extension Publishers {
  /// How far a buffer asks ahead.
  public enum PrefetchStrategy: Sendable, Hashable {
    /// For as many values as there is room for.
    case keepFull
    /// For everything: for upstreams that do not wait to be asked.
    case byRequest
  }

  /// What a full buffer does with one more value.
  public enum BufferingStrategy<Failure: Error>: Sendable {
    /// Drops the value that came.
    case dropNewest
    /// Drops the value that has waited longest.
    case dropOldest
    /// Cancels the upstream and fails.
    case customError(@Sendable () -> Failure)
  }

  /// A publisher that keeps values that come before they are asked for.
  @frozen
  public struct Buffer<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let size: Int
    public let prefetch: PrefetchStrategy
    public let whenFull: BufferingStrategy<Failure>

    @inlinable
    public init(
      upstream: Upstream, size: Int, prefetch: PrefetchStrategy,
      whenFull: BufferingStrategy<Failure>
    ) {
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let stage = BufferStage<Output, Failure>(size: size, prefetch: prefetch, whenFull: whenFull)
      upstream.receive(
        subscriber: OutboxSubscriber(stage, downstream: subscriber, scheduler: nil))
    }
  }
}

@frozen
@usableFromInline
struct BufferStage<Input: Sendable, Failure: Error>: OutletStage {
  @usableFromInline typealias Output = Input

  @usableFromInline let size: Int
  @usableFromInline let keepsFull: Bool
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>

  @inlinable
  init(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) {
    self.size = max(size, 1)
    keepsFull = prefetch == .keepFull
    self.whenFull = whenFull
  }

  @inlinable var initialRequest: Subscribers.Demand { keepsFull ? .max(size) : .unlimited }
  @inlinable var requestAfterDelivery: Subscribers.Demand { keepsFull ? .max(1) : .none }

  @inlinable
  mutating func receive(_ input: Input, at now: Duration, outlet: inout Outlet<Output, Failure>) {
    // A value that was asked for is on its way and takes no room.
    guard outlet.demand + size <= outlet.ready.count else {
      outlet.ready.append(input)
      return
    }
    switch whenFull {
    case .dropNewest: break
    case .dropOldest: outlet.replaceOldest(input)
    case .customError: outlet.end = .lapsed
    }
  }

  @inlinable
  mutating func receive(
    completion: Subscribers.Completion<Failure>, at now: Duration,
    outlet: inout Outlet<Output, Failure>
  ) {
    outlet.end = .afterValues(completion)
  }

  @inlinable
  func lapsed() -> Subscribers.Completion<Failure> {
    if case .customError(let makeError) = whenFull { .failure(makeError()) } else { .finished }
  }
}
