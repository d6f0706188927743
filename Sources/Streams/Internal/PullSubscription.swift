import Synchronization

/// Serves values as they are asked for, then the end.
///
/// The count of what is asked for is the right to serve, too: who makes it more than zero serves
/// until it is zero again. So `request` and `cancel` are safe from any thread, a request from inside
/// `receive(_:)` only adds to the count (constant stack), and who serves, or else who cancels,
/// releases what there is to serve.
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
  /// What was asked for since the right to serve was taken; negative when it is over.
  @usableFromInline let asked = Atomic<Int>(0)

  // Unsafe is right: only the one who has the right to serve touches it.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var parked: Server?

  @inlinable init(_ serve: @escaping Serve) {
    parked = Server(serve: serve)
  }

  @inlinable var isOver: Bool { asked.load(ordering: .relaxed) < 0 }

  @inlinable func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    var before = asked.load(ordering: .relaxed)
    while before >= 0 {
      let after = Subscribers.Demand(count: before) + demand
      let (added, found) = asked.compareExchange(
        expected: before, desired: after.count, ordering: .acquiringAndReleasing)
      if added {
        if before == 0 { serve(after) }
        return
      }
      before = found
    }
  }

  @inlinable func cancel() {
    if asked.exchange(-1, ordering: .acquiringAndReleasing) == 0 { parked = nil }
  }

  /// Serves what is asked for, also what is asked for meanwhile, and gives the right back.
  @usableFromInline func serve(_ demand: Subscribers.Demand) {
    guard let serve = parked.take()?.serve else { return }
    var total = demand
    var budget = demand
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
    downstream.receive(
      subscription: PullSubscription { pull, _ in
        _ = downstream.receive(value)
        if !pull.isOver { downstream.receive(completion: .finished) }
        return false
      })
  }

  /// Connects a subscriber to a fresh iterator; an empty one ends at once, without demand.
  ///
  /// Elements are pulled from a local variable, at the speed of a loop, and the subscriber is a
  /// local one too: a captured one would be loaded whole for each element, closure by closure.
  @inlinable static func start<Source: IteratorProtocol & Sendable, Downstream: Subscriber>(
    _ source: Source, for downstream: Downstream
  ) where Source.Element == Downstream.Input {
    var source = source
    guard let first = source.next() else {
      BareEnd.send(.finished, to: downstream)
      return
    }
    // Unsafe is right: only the one who has the right to serve runs the closure.
    nonisolated(unsafe) var parked:
      (source: Source, next: Source.Element, downstream: Downstream)? =
        (source, first, downstream)
    downstream.receive(
      subscription: PullSubscription { pull, budget in
        guard let work = parked.take() else { return false }
        var (source, next) = (work.source, work.next)
        let downstream = work.downstream
        var budget = budget
        while budget > .none {
          let value = next
          let upcoming = source.next()
          if pull.isOver { return false }
          let more = downstream.receive(value)
          guard let upcoming else {
            if !pull.isOver { downstream.receive(completion: .finished) }
            return false
          }
          next = upcoming
          budget = budget - 1 + more
        }
        parked = (source, next, downstream)
        return true
      })
  }
}
