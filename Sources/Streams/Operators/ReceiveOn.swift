extension Publisher {
  /// Delivers values and the completion on a scheduler.
  ///
  /// The order stays the same on any scheduler, also on a concurrent queue, because one job at a
  /// time delivers all waiting signals.
  ///
  /// ```marble
  /// source: -a-b-|
  /// receive(on: scheduler)
  /// result: -a-b-|
  /// ```
  ///
  /// The operator requests no more than the downstream requests:
  ///
  /// ```marble
  /// source:        -a-b-c-|
  /// source demand: 1---2
  /// receive(on: scheduler)
  /// demand:        1---2
  /// result:        -a--bc-|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand. If that is limited, so is the number of waiting
  ///   values.
  /// - Errors: The upstream's failure, after the waiting values.
  /// - Completion: When the upstream has finished, after the waiting values.
  /// - Cancellation: Cancels the upstream and releases the waiting signals. None of them arrives.
  /// - Delivery: On the scheduler, in order. The subscription arrives on the upstream's thread.
  /// - Complexity: O(1) for each value; one job for each batch of values.
  ///
  /// - Parameter scheduler: A queue, the main actor (`.mainActor`), or another scheduler.
  @inlinable public func receive(on scheduler: any Scheduler) -> Publishers.ReceiveOn<Self> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler)
  }
}

extension Publishers {
  /// A publisher that delivers signals on a scheduler, in order, with one job for each batch.
  ///
  /// After a cancel, none of the waiting values arrives, and neither does a waiting completion.
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
