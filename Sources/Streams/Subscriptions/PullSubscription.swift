import Synchronization

/// A subscription that serves values on request, and then the end.
///
/// The count of requested values is also the right to serve. A thread that makes it more than zero
/// serves until it is zero again. `request` and `cancel` are therefore safe on any thread, and a
/// request from inside `receive(_:)` only adds to the count (constant stack). The thread that
/// serves, or else the thread that cancels, releases the values that are left.
///
/// The thread that hands the subscription over has the right first, and serves the values that are
/// requested meanwhile. Most subscribers request everything at once, and for them nothing has to be
/// kept.
@usableFromInline final class PullSubscription: Subscription {
  /// A closure that serves a number of values, and returns whether more are left.
  @usableFromInline typealias Serve = @Sendable (PullSubscription, Subscribers.Demand) -> Bool

  // A struct and not the bare closure, which an optional would wrap again at each access.
  @usableFromInline struct Server: Sendable {
    @usableFromInline let serve: Serve

    @inlinable init(serve: @escaping Serve) {
      self.serve = serve
    }
  }

  @usableFromInline let mark = LeakMark("pullSubscription")
  /// The number of values requested since the right to serve was taken, plus one during the
  /// handover.
  ///
  /// It is negative when the stream is over.
  @usableFromInline let asked = Atomic<Int>(1)

  // `nonisolated(unsafe)` is correct: only the thread that has the right to serve accesses it.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var parked: Server?

  @inlinable init() {}

  @inlinable var isOver: Bool { asked.load(ordering: .relaxed) < 0 }

  @inlinable func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    var before = asked.load(ordering: .relaxed)
    while before >= 0 {
      let after = Subscribers.Demand(count: before) + demand
      let (added, found) = asked.compareExchange(
        expected: before, desired: after.count, ordering: .acquiringAndReleasing)
      if added {
        if before == 0, let serve = parked.take()?.serve { run(serve, after, of: after) }
        return
      }
      before = found
    }
  }

  @inlinable func cancel() {
    if asked.exchange(-1, ordering: .acquiringAndReleasing) == 0 { parked = nil }
  }

  /// Serves all requested values, including those that are requested meanwhile, and gives the right
  /// back.
  ///
  /// - Parameter total: All values that have been requested since the right was taken.
  @usableFromInline func run(
    _ serve: @escaping Serve, _ demand: Subscribers.Demand, of total: Subscribers.Demand
  ) {
    var (budget, total) = (demand, total)
    while serve(self, budget) {
      parked = Server(serve: serve)
      let (returned, found) = asked.compareExchange(
        expected: total.count, desired: 0, ordering: .acquiringAndReleasing)
      if returned { return }
      parked = nil
      if found < 0 { return }
      budget = Subscribers.Demand(count: found) - total
      total = Subscribers.Demand(count: found)
    }
  }
}

// MARK: - Serving

extension PullSubscription {
  /// Connects a subscriber to one value.
  @inlinable static func start<Downstream: Subscriber>(
    _ value: Downstream.Input, for downstream: consuming Downstream
  ) {
    let downstream = downstream
    let pull = PullSubscription()
    downstream.receive(subscription: pull)
    let asked = Subscribers.Demand(count: pull.asked.load(ordering: .acquiring))
    if asked > .max(1) {
      pull.serve(value, to: downstream)
    } else if asked > .none {
      pull.run(
        { pull, budget in
          if budget > .none { pull.serve(value, to: downstream) }
          return budget == .none
        }, .none, of: asked)
    }
  }

  /// Connects a subscriber to a new iterator.
  ///
  /// An empty iterator ends at once, without demand.
  @inlinable static func start<Source: IteratorProtocol & Sendable, Downstream: Subscriber>(
    _ source: Source, for downstream: Downstream
  ) where Source.Element == Downstream.Input {
    var source = source
    guard let first = source.next() else {
      BareEnd.send(.finished, to: downstream)
      return
    }
    let pull = PullSubscription()
    downstream.receive(subscription: pull)
    let asked = Subscribers.Demand(count: pull.asked.load(ordering: .acquiring))
    guard asked > .none, let rest = pull.serve(source, after: first, to: downstream, asked - 1)
    else { return }
    // `nonisolated(unsafe)` is correct: only the thread that has the right to serve runs the
    // closure.
    nonisolated(unsafe) var parked: (source: Source, first: Source.Element)? = rest
    pull.run(
      { pull, budget in
        guard let (source, first) = parked.take() else { return false }
        parked = pull.serve(source, after: first, to: downstream, budget)
        return parked != nil
      }, .none, of: asked)
  }

  @inlinable func serve<Downstream: Subscriber>(
    _ value: Downstream.Input, to downstream: Downstream
  ) {
    _ = downstream.receive(value)
    if !isOver { downstream.receive(completion: .finished) }
  }

  /// Serves an element, and the elements after it as far as they are requested.
  ///
  /// Elements are pulled from a local variable, at the speed of a loop.
  ///
  /// - Returns: The elements that are left, or nil after the end or a cancel.
  @inlinable func serve<Source: IteratorProtocol, Downstream: Subscriber>(
    _ source: Source, after first: Source.Element, to downstream: Downstream,
    _ demand: Subscribers.Demand
  ) -> (source: Source, first: Source.Element)? where Source.Element == Downstream.Input {
    var (source, next, budget) = (source, first, demand)
    while budget > .none {
      let value = next
      let upcoming = source.next()
      if isOver { return nil }
      let more = downstream.receive(value)
      guard let upcoming else {
        if !isOver { downstream.receive(completion: .finished) }
        return nil
      }
      next = upcoming
      budget = budget - 1 + more
    }
    return (source, next)
  }
}
