extension Publisher {
  /// Keeps values that arrive before they are requested, up to a limit.
  ///
  /// ```marble
  /// source:        -a-b-c-d-|
  /// source demand: *
  /// buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
  /// demand:        1-------*
  /// result:        -a------(cd)|
  /// ```
  ///
  /// - Demand: With `.keepFull`, requests as many values as the buffer has room for. With
  ///   `.byRequest`, requests everything.
  /// - Errors: The upstream's failure, after the waiting values. The custom error as soon as a
  ///   value finds no room, without waiting for demand and without the waiting values.
  /// - Completion: When the upstream has finished and no value waits.
  /// - Cancellation: Cancels the upstream and releases the waiting values.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for a waiting value.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - size: The number of values that can wait, at least one.
  ///   - prefetch: The strategy for requesting values ahead.
  ///   - whenFull: The policy for a value that finds no room.
  @inlinable public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(
      Publishers.Timed(
        self, Publishers.BufferStage(size: size, prefetch: prefetch, whenFull: whenFull),
        scheduler: nil))
  }
}

extension Publishers {
  /// The strategy by which a buffer requests values ahead.
  public enum PrefetchStrategy: Sendable, Hashable {
    /// Requests as many values as the buffer has room for.
    case keepFull
    /// Requests everything, for upstreams that send without demand.
    case byRequest
  }

  /// A publisher that keeps values that arrive before they are requested.
  @frozen public struct Buffer<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Timed<Upstream, BufferStage<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Timed<Upstream, BufferStage<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that keeps values until they are requested, up to a limit.
  @frozen public struct BufferStage<Input: Sendable, Failure: Error>: TimedStage {
    @usableFromInline let size: Int
    @usableFromInline let keepsFull: Bool
    @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>

    @inlinable init(
      size: Int, prefetch: Publishers.PrefetchStrategy,
      whenFull: Publishers.BufferingStrategy<Failure>
    ) {
      self.size = max(size, 1)
      keepsFull = prefetch == .keepFull
      self.whenFull = whenFull
    }

    @inlinable public mutating func receive(
      _ event: TimedEvent<Input, Failure>, outlet: inout Outlet<Input, Failure>
    ) {
      switch event {
      case .wake, .demand: break
      case .begin: outlet.request = keepsFull ? .max(size) : .unlimited
      case .delivery:
        if keepsFull { outlet.request += 1 }
      case .value(let input):
        // A requested value is already on its way and takes no room.
        guard outlet.demand + size <= outlet.waiting else { return outlet.send(input) }
        switch whenFull {
        case .dropNewest: break
        case .dropOldest: outlet.replaceOldest(input)
        case .customError(let makeError): outlet.end = .lapsed { .failure(makeError()) }
        }
      case .end(let completion): outlet.end = .afterValues(completion)
      }
    }
  }
}
