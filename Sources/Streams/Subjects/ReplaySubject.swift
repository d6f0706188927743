/// A subject that keeps the values sent last: a new subscriber gets them first, then what comes.
///
/// A subscriber that has not asked for a value when it is sent gets it later, if it is among those
/// kept when it asks. Late subscribers get the kept values also after the end, and then the end.
public final class ReplaySubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let state: Lock<ReplayState<Output, Failure>>

  /// - Parameter bufferSize: How many values to keep; none if it is not positive.
  public init(bufferSize: Int) {
    state = Lock(ReplayState(bufferSize: Swift.max(0, bufferSize)))
  }

  @inlinable
  public func send(_ value: Output) {
    let mustDeliver = state.withLock { state in
      guard state.end == nil else { return false }
      state.log.append(value)
      return state.beginDelivering()
    }
    if mustDeliver { deliver() }
  }

  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) {
    let (mustDeliver, upstreams) = state.withLock { state in
      guard state.end == nil else { return (false, [] as [any Subscription]) }
      state.end = completion
      defer { state.upstreams = [] }
      return (state.beginDelivering(), state.upstreams)
    }
    for upstream in upstreams { upstream.cancel() }
    if mustDeliver { deliver() }
  }

  @inlinable
  public func send(subscription: any Subscription) {
    let isOpen = state.withLock { state in
      guard state.end == nil else { return false }
      state.upstreams.append(subscription)
      return true
    }
    if isOpen { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  @inlinable
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let erased = AnySubscriber(subscriber)
    let id = state.withLock { $0.add(erased) }
    subscriber.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand): request(demand, of: id)
        case .cancel: detach(id)
        }
      })
    let mustDeliver = state.withLock { state in
      guard let index = state.index(of: id) else { return false }
      state.entries[index].isOpen = true
      return state.beginDelivering()
    }
    if mustDeliver { deliver() }
  }

  @inlinable
  func request(_ demand: Subscribers.Demand, of id: Int) {
    let mustDeliver = state.withLock { state in
      guard let index = state.index(of: id) else { return false }
      state.entries[index].demand += demand
      return state.entries[index].isOpen && state.beginDelivering()
    }
    if mustDeliver { deliver() }
  }

  @inlinable
  func detach(_ id: Int) {
    let released = state.withLock { $0.remove(id) }
    withExtendedLifetime(released) {}
  }

  /// Delivers what can be delivered; the caller has begun.
  @inlinable
  func deliver() {
    var granted = Subscribers.Demand.none
    var receiver = -1
    while true {
      let step = state.withLock { $0.nextStep(granted: granted, by: receiver) }
      granted = .none
      switch step {
      case .stop: return
      case .drop: break
      case .value(let value, let entry):
        receiver = entry.id
        granted = entry.subscriber.receive(value)
      case .end(let end, let entry):
        entry.subscriber.receive(completion: end)
      }
    }
  }
}
