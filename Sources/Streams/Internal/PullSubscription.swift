import Synchronization

/// Serves an iterator's elements as they are asked for, then the end.
///
/// The work (the iterator, and the subscriber) is either parked under the lock or in the hands of
/// the one thread that serves it. So elements are pulled from a local variable at the speed of a
/// loop, `request` and `cancel` are safe from any thread, a request from inside `receive(_:)` only
/// adds to the count (constant stack), and whoever holds the work last releases it.
@usableFromInline
final class PullSubscription<Source: IteratorProtocol & Sendable, Downstream: Subscriber>: Sendable
where Source.Element == Downstream.Input {
  @usableFromInline
  struct Work: Sendable {
    @usableFromInline var source: Source
    @usableFromInline var next: Source.Element
    @usableFromInline let downstream: Downstream

    @inlinable
    init(source: Source, next: Source.Element, downstream: Downstream) {
      self.source = source
      self.next = next
      self.downstream = downstream
    }
  }

  @usableFromInline
  struct State: Sendable {
    @usableFromInline var parked: Work?
    @usableFromInline var demand = Subscribers.Demand.none

    @inlinable
    init(parked: Work) {
      self.parked = parked
    }
  }

  @usableFromInline let mark = LiveMark(.pullSubscription)
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  @usableFromInline let state: Lock<State>

  @inlinable
  init(_ work: Work) {
    state = Lock(State(parked: work))
  }

  /// Connects a subscriber to a fresh iterator; an empty one ends at once, without demand.
  @inlinable
  static func start(_ source: Source, for downstream: Downstream) {
    var source = source
    guard let first = source.next() else {
      BareEnd.send(.finished, to: downstream)
      return
    }
    let pull = PullSubscription(Work(source: source, next: first, downstream: downstream))
    downstream.receive(
      subscription: ClosureSubscription { command in
        switch command {
        case .request(let demand): pull.request(demand)
        case .cancel: pull.cancel()
        }
      })
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    let work = state.withLock { state in
      state.demand += demand
      return state.parked.take()
    }
    if let work { serve(work) }
  }

  @inlinable
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    let released = state.withLock { $0.parked.take() }
    withExtendedLifetime(released) {}
  }

  @inlinable
  func serve(_ work: Work) {
    var source = work.source
    var next = work.next
    let downstream = work.downstream
    while true {
      var budget = state.withLock { state in
        defer { state.demand = .none }
        return state.demand
      }
      while budget > .none {
        let value = next
        let upcoming = source.next()
        if isCancelled.load(ordering: .relaxed) { return }
        let more = downstream.receive(value)
        guard let upcoming else {
          if !isCancelled.load(ordering: .relaxed) { downstream.receive(completion: .finished) }
          return
        }
        next = upcoming
        budget = budget - 1 + more
      }
      if park(Work(source: source, next: next, downstream: downstream)) { return }
    }
  }

  /// Puts the work back, unless more was asked for meanwhile.
  @inlinable
  func park(_ work: Work) -> Bool {
    state.withLock { state in
      guard state.demand == .none else { return false }
      if !isCancelled.load(ordering: .relaxed) { state.parked = work }
      return true
    }
  }
}
