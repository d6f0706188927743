import Synchronization

/// Serves values as they are asked for, then the end.
///
/// The count of what is asked for is the right to serve, too: who makes it more than zero serves
/// until it is zero again. So `request` and `cancel` are safe from any thread, a request from inside
/// `receive(_:)` only adds to the count (constant stack), and who serves, or else who cancels,
/// releases what there is to serve.
///
/// Who hands it over has the right first, and serves what was asked for meanwhile: most subscribers
/// ask for everything at once, and for them nothing has to be kept.
@usableFromInline final class PullSubscription: Subscription {
  /// Serves so many values; says whether there are more to come.
  @usableFromInline typealias Serve = @Sendable (PullSubscription, Subscribers.Demand) -> Bool

  // A struct and not the bare closure, which an optional would wrap anew at each access.
  @usableFromInline struct Server: Sendable {
    @usableFromInline let serve: Serve

    @inlinable init(serve: @escaping Serve) {
      self.serve = serve
    }
  }

  @usableFromInline let mark = LiveMark(.pullSubscription)
  /// What was asked for since the right to serve was taken, one more while this is handed over;
  /// negative when it is over.
  @usableFromInline let asked = Atomic<Int>(1)

  // Unsafe is right: only the one who has the right to serve touches it.
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

  /// Serves what is asked for, also what is asked for meanwhile, and gives the right back.
  ///
  /// - Parameter total: All that has been asked for since the right was taken.
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

// MARK: - What is served

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

  /// Connects a subscriber to a fresh iterator; an empty one ends at once, without demand.
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
    // Unsafe is right: only the one who has the right to serve runs the closure.
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

  /// Serves an element and, as far as they are asked for, those after it.
  ///
  /// They are pulled from a local variable, at the speed of a loop.
  ///
  /// - Returns: What is left; nil after the end or a cancel.
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
