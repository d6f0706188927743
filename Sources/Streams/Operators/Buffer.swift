extension Publisher {
  /// Keeps values that come before they are asked for, up to a number.
  ///
  /// ```marble
  /// source:        -a-b-c-d-|
  /// source demand: *
  /// buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
  /// demand:        1-------*
  /// result:        -a------(cd)|
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
  @inlinable public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Timed(
      self, Publishers.BufferStage(size: size, prefetch: prefetch, whenFull: whenFull),
      scheduler: nil)
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

  /// A publisher that keeps values that come before they are asked for.
  public typealias Buffer<Upstream: Publisher> =
    Timed<Upstream, BufferStage<Upstream.Output, Upstream.Failure>>

  /// Keeps values until they are asked for, as far as there is room.
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
        // A value that was asked for is on its way and takes no room.
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
