import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

extension Streams.Publisher {
  /// This publisher as a Combine publisher.
  ///
  /// - Demand: The downstream's demand, including the demand that `receive(_:)` returns.
  /// - Errors: The errors of this publisher, with their type.
  /// - Completion: When this publisher completes.
  /// - Cancellation: Cancels this publisher. On the delivering thread, nothing arrives after that.
  /// - Delivery: Where this publisher delivers, one signal at a time. A Combine subscriber that
  ///   belongs to one thread needs a `receive(on:)`, as it does below any Combine publisher.
  /// - Complexity: O(1) for each value.
  @inlinable public var combinePublisher: CombinePublisher<Self> {
    CombinePublisher(self)
  }
}

/// A Combine publisher that wraps a publisher of Streams.
@frozen
public struct CombinePublisher<Upstream: Streams.Publisher>: CombineFramework.Publisher, Sendable {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  public let upstream: Upstream

  @inlinable public init(_ upstream: Upstream) {
    self.upstream = upstream
  }

  @inlinable public func receive<Downstream: CombineFramework.Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.receive(subscriber: ForwardingSubscriber(subscriber))
  }
}
