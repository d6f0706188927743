/// What happens between two attempts: a wait, then a chained publisher.
@frozen
@usableFromInline
struct RetryPause<Chained: Publisher>: Publisher {
  @usableFromInline typealias Output = Chained.Output
  @usableFromInline typealias Failure = Chained.Failure

  @usableFromInline let session: RetrySession<Failure>
  @usableFromInline let chained: Chained

  @inlinable
  init(session: RetrySession<Failure>, chained: Chained) {
    self.session = session
    self.chained = chained
  }

  @inlinable
  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let relay = SubscriptionRelay.start(for: subscriber)
    guard let wait = relay.nextSource() else { return }
    let timer = UpstreamGate()
    wait.admit(timer.subscription, requesting: Subscribers.Demand.none)
    let work = session.scheduler.schedule(after: session.delay) { [chained] in
      guard wait.end(), let next = relay.nextSource() else { return }
      chained.receive(subscriber: LastRelaySubscriber(source: next, mapFailure: { $0 }))
    }
    _ = timer.admit(TimerSubscription(work: work), for: Self.self)
  }

  @frozen
  @usableFromInline
  struct TimerSubscription: Subscription {
    @usableFromInline let work: any Cancellable

    @inlinable
    init(work: any Cancellable) {
      self.work = work
    }

    @inlinable func request(_ demand: Subscribers.Demand) {}
    @inlinable func cancel() { work.cancel() }
  }
}
