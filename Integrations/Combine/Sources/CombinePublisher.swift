import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

extension Streams.Publisher {
  /// This publisher as one of Combine, for code that is written with Combine.
  ///
  /// - Demand: The downstream's, those that `receive(_:)` returns included.
  /// - Errors: This publisher's, with their type.
  /// - Completion: When this publisher completes.
  /// - Cancellation: Cancels this publisher; on the delivering thread nothing arrives after that.
  /// - Delivery: Where this publisher delivers, one signal at a time. A Combine subscriber that
  ///   belongs to one thread needs a `receive(on:)`, as it does below any Combine publisher.
  /// - Complexity: O(1) for each value.
  @inlinable public var combinePublisher: CombinePublisher<Self> {
    CombinePublisher(self)
  }
}

/// A publisher of Streams as one of Combine.
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
