import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

extension CombineFramework.Publisher where Output: Sendable {
  /// This Combine publisher as a publisher of Streams, with the guarantees of Streams.
  ///
  /// Signals arrive one at a time, in the order in which they came. A value that Combine sends
  /// during the delivery of another value waits until that one is delivered. Signals that violate
  /// Combine's rules are dropped and reported to `ContractViolation`: values without demand,
  /// signals after the end, and a second subscription.
  ///
  /// - Important: Combine does not define whether a publisher's closures may run on any thread.
  ///   This publisher is subscribed on the thread of each subscriber, and its closures run where
  ///   Combine runs them. Subscribe on the main thread if the publisher belongs there, or use
  ///   `subscribe(on:)`.
  /// - Demand: The downstream's demand, passed on one request at a time. Demand that comes during a
  ///   delivery is returned to the publisher. It is not requested from inside the delivery.
  /// - Errors: The errors of this publisher, with their type.
  /// - Completion: When this publisher completes, after the waiting values.
  /// - Cancellation: Cancels this publisher once and releases the downstream. Nothing arrives after
  ///   that, even if the publisher continues to send.
  /// - Delivery: Where this publisher sends, or on the thread that is already delivering.
  /// - Complexity: O(1) for each value, and two acquisitions of a lock.
  @inlinable public var streamsPublisher: StreamsPublisher<Self> {
    StreamsPublisher(self)
  }
}

/// A publisher of Streams that wraps a Combine publisher.
@frozen
public struct StreamsPublisher<Upstream: CombineFramework.Publisher>: Streams.Publisher,
  @unchecked Sendable
where Upstream.Output: Sendable {
  // Unchecked is correct: Combine does not mark its publishers, and its own code subscribes to them
  // on any thread, as this type does. It calls only `subscribe`.
  public let upstream: Upstream

  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @inlinable public init(_ upstream: Upstream) {
    self.upstream = upstream
  }

  @inlinable public func receive(subscriber: some Streams.Subscriber<Output, Failure>) {
    upstream.subscribe(CombineReceiver(ContractSubscriber(subscriber)))
  }
}
