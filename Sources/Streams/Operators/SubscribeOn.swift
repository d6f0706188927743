extension Publisher {
  /// Subscribes on a scheduler, which runs the work that a subscription or a request starts.
  ///
  /// It is the counterpart of ``receive(on:)``, which chooses the scheduler that delivers values.
  ///
  /// ```marble
  /// source: -a-b-|
  /// subscribe(on: scheduler)
  /// result: -a-b-|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, on the scheduler.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: At once, on the thread that cancels. After a cancel before the subscription,
  ///   the upstream is never subscribed.
  /// - Delivery: On the upstream's thread. If the upstream delivers during a request, that is the
  ///   scheduler's thread.
  /// - Complexity: O(1); one job for the subscription and one for each request.
  ///
  /// - Parameter scheduler: The scheduler to subscribe on.
  @inlinable public func subscribe(on scheduler: any Scheduler) -> Publishers.SubscribeOn<Self> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler)
  }
}

extension Publishers {
  /// A publisher that subscribes to its upstream on a scheduler.
  @frozen public struct SubscribeOn<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let scheduler: any Scheduler

    @inlinable public init(upstream: Upstream, scheduler: any Scheduler) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      let relay = SubscriptionRelay(subscriber)
      let job = ScheduledAction { [upstream] in relay.followLast(upstream) { $0 } }
      subscriber.receive(
        subscription: ClosureSubscription { [scheduler, driver = relay.driver] command in
          switch command {
          case .request(let demand): scheduler.schedule { driver.request(demand) }
          case .cancel:
            driver.cancel()
            job.cancel()
          }
        })
      scheduler.schedule { job.run() }
    }
  }
}
