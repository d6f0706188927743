import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

extension CombineFramework.Publisher where Output: Sendable {
  /// This Combine publisher as one of Streams, with the promises that Streams makes.
  ///
  /// Signals arrive one at a time, in the order in which they came. A value that Combine sends from
  /// inside another, or on another thread meanwhile, waits until that one is delivered. Whatever
  /// breaks Combine's rules is dropped and reported to `ContractViolation`: values that nobody asked
  /// for, signals after the end, a second subscription.
  ///
  /// - Important: Combine does not say whether a publisher's closures may run on any thread. This one
  ///   is subscribed on the thread of each subscriber, and closures run where Combine runs them: a
  ///   publisher that belongs to the main thread is subscribed there, or `subscribe(on:)` it.
  /// - Demand: The downstream's, passed on one request at a time. What is asked for during a delivery
  ///   is returned to the publisher, not requested from inside it.
  /// - Errors: This publisher's, with their type.
  /// - Completion: When this publisher completes, after the values that wait.
  /// - Cancellation: Cancels this publisher once and releases the downstream; final, whatever the
  ///   publisher sends after that.
  /// - Delivery: Where this publisher sends, or on the thread that delivers already.
  /// - Complexity: O(1) for each value; a lock is taken twice.
  @inlinable public var streamsPublisher: StreamsPublisher<Self> {
    StreamsPublisher(self)
  }
}

/// A Combine publisher as one of Streams.
@frozen
public struct StreamsPublisher<Upstream: CombineFramework.Publisher>: Streams.Publisher,
  @unchecked Sendable
where Upstream.Output: Sendable {
  // Unchecked is right: Combine does not mark its publishers and subscribes them on any thread, as
  // this does. Nothing but `subscribe` is called on it here.
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
