import Synchronization

/// The subscription of a stream without values, of which a cancel can stop only the end.
@usableFromInline final class BareEnd: Subscription {
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  @usableFromInline let mark = LeakMark("bareEnd")

  @inlinable init() {}

  /// Sends a subscription and, unless a cancel comes at once, the end.
  @inlinable static func send<Downstream: Subscriber>(
    _ completion: Subscribers.Completion<Downstream.Failure>, to downstream: Downstream
  ) {
    let end = BareEnd()
    downstream.receive(subscription: end)
    if !end.isCancelled.load(ordering: .relaxed) { downstream.receive(completion: completion) }
  }

  @inlinable func request(_ demand: Subscribers.Demand) {}

  @inlinable func cancel() {
    isCancelled.store(true, ordering: .relaxed)
  }
}
