extension Publisher {
  /// Delivers values and the end on a scheduler.
  ///
  /// The order is kept on any scheduler, concurrent queues too: one job at a time delivers all that
  /// waits.
  ///
  /// ```marble
  /// source: -a-b-|
  /// receive(on: scheduler)
  /// result: -a-b-|
  /// ```
  ///
  /// The upstream is asked for no more than the downstream asks for:
  ///
  /// ```marble
  /// source:        -a-b-c-|
  /// source demand: 1---2
  /// receive(on: scheduler)
  /// demand:        1---2
  /// result:        -a--bc-|
  /// ```
  ///
  /// - Demand: The downstream's, so that what waits is bounded when the demand is.
  /// - Errors: The upstream's failure, after the values that wait.
  /// - Completion: When the upstream has finished, after the values that wait.
  /// - Cancellation: Cancels the upstream and releases what waits: none of it arrives.
  /// - Delivery: On the scheduler, in order; the subscription comes where the upstream hands it over.
  /// - Complexity: O(1) for each value; one job for each batch of values.
  ///
  /// - Parameter scheduler: A queue, the main actor (`.mainActor`), or another.
  @inlinable public func receive(on scheduler: any Scheduler) -> Publishers.ReceiveOn<Self> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler)
  }
}

extension Publishers {
  /// A publisher that delivers on a scheduler, in order, a batch for each job.
  ///
  /// A cancel is honored with values and the end waiting: none of them arrives after it.
  @frozen public struct ReceiveOn<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let scheduler: any Scheduler

    @inlinable public init(upstream: Upstream, scheduler: any Scheduler) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      upstream.receive(subscriber: HopQueue(downstream: subscriber, scheduler: scheduler))
    }
  }
}
