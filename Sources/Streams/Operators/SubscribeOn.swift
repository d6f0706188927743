extension Publisher {
  /// Subscribes on a scheduler, so that the work that a subscription and a request start is done
  /// there.
  ///
  /// It is the counterpart of ``receive(on:)``, which chooses where values arrive.
  ///
  /// ```marble
  /// source: -a-b-|
  /// subscribe(on: scheduler)
  /// result: -a-b-|
  /// ```
  ///
  /// - Demand: The downstream's, passed on by the scheduler.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: At once, on the thread that cancels, also before the upstream is subscribed:
  ///   it never is, then.
  /// - Delivery: Where the upstream delivers; for one that delivers when asked, that is the
  ///   scheduler.
  /// - Complexity: O(1); one job for the subscription and one for each request.
  ///
  /// - Parameter scheduler: Where to subscribe.
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
