import Streams

/// A scheduler whose time passes only on a test's command.
///
/// Due work runs on the thread that advances the time, in the order of its due time and then of its
/// scheduling. Work that it schedules runs in the same advance if it is due by then.
///
/// With a seed, work that is due at the same time, and immediate work, runs in a random order,
/// which is the same for the same seed. A concurrent queue may do the same. Code that works only in
/// the order of scheduling fails for some seed. ``explore(seeds:_:)`` tries many seeds. No seed
/// changes the order of different times, nor what ``Marbles`` keep in order.
///
/// A million pieces of work take a second or two in a release build.
public final class TestScheduler: Scheduler {
  private struct State: Sendable {
    /// No waiting work is due earlier.
    var now: Duration = .zero
    var queue = WorkQueue()
    var generator: SeededGenerator?
    /// With a seed, what is due now and not in the queue's order any more, to draw from.
    var ready = DrawingOrder()

    /// The due time of the next work.
    mutating func nextDue() -> Duration? { ready.count > 0 ? now : queue.first()?.due }

    /// Takes out the next work, if it is due by the target, or else advances the time to it.
    mutating func next(by target: Duration?) -> WorkQueue.Work? {
      guard let due = nextDue(), target.map({ due <= $0 }) ?? true else {
        now = max(now, target ?? now)
        return nil
      }
      now = due
      let first = queue.first()
      if generator != nil, first?.due != now || first?.rank == .usual { return draw() }
      return first.flatMap { first in
        queue.removeFirstEntry()
        return queue.take(first.ticket)
      }
    }

    private mutating func draw() -> WorkQueue.Work? {
      while let entry = queue.first(), entry.due == now {
        queue.removeFirstEntry()
        ready.append(entry.ticket)
      }
      guard var generator else { return nil }
      let index = Int.random(in: 0..<ready.count, using: &generator)
      self.generator = generator
      return queue.take(ready.remove(at: index))
    }

    mutating func remove(_ ticket: WorkQueue.Ticket) -> WorkQueue.Work? {
      let work = queue.remove(ticket)
      if work != nil { ready.remove(ticket) }
      return work
    }
  }

  private let state: Lock<State>

  /// The seed for the order of work that is due at the same time.
  public let seed: UInt64?

  /// Whether the scheduler is that of one test's virtual time, which no other test advances.
  package let isOfVirtualTime: Bool

  /// - Parameter seed: The seed for the order of work that is due at the same time, or nil for the
  ///   order of scheduling.
  public convenience init(seed: UInt64? = nil) {
    self.init(seed: seed, isOfVirtualTime: false)
  }

  package init(seed: UInt64? = nil, isOfVirtualTime: Bool) {
    self.seed = seed
    self.isOfVirtualTime = isOfVirtualTime
    state = Lock(State(generator: seed.map { SeededGenerator(seed: $0) }))
  }

  /// Runs a test with a new scheduler for each seed, until the test throws.
  ///
  /// - Throws: An ``InterleavingFailure`` that names the seed.
  public static func explore(
    seeds: Range<UInt64>, _ body: (TestScheduler) throws -> Void
  ) throws {
    for seed in seeds {
      do {
        try body(TestScheduler(seed: seed))
      } catch {
        throw InterleavingFailure(order: "seed \(seed)", underlying: error)
      }
    }
  }

  /// The virtual time since this scheduler was created.
  public var now: Duration { state.withLock { $0.now } }

  /// The number of pieces of work that wait, due or not.
  public var pendingCount: Int { state.withLock { $0.queue.count } }

  /// The due time of the work that runs next.
  var nextDue: Duration? { state.withLock { $0.nextDue() } }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    _ = add(after: .zero, action)
  }

  @discardableResult
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let ticket = add(after: delay, action)
    return ScheduledWork(scheduler: self, ticket: ticket)
  }

  /// Schedules work that runs before all other work of its time, whatever the seed.
  func scheduleFirst(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
    _ = add(after: delay, rank: .first, action)
  }

  private func add(
    after delay: Duration, rank: WorkQueue.Rank = .usual, _ action: @escaping @Sendable () -> Void
  ) -> WorkQueue.Ticket {
    state.withLock { state in
      let due = state.now.adding(max(delay, .zero))
      return state.queue.add(WorkQueue.Work(action: action), due: due, rank: rank)
    }
  }

  /// Advances the time and runs the work that becomes due.
  ///
  /// - Parameter duration: The time to advance by. Zero runs the work that is due now.
  public func advance(by duration: Duration = .zero) {
    let target = state.withLock { $0.now.adding(duration) }
    while let work = state.withLock({ $0.next(by: target) }) { work.action() }
  }

  /// Runs all waiting work and the work that it schedules, jumping from one due time to the next.
  ///
  /// - Parameter limit: The maximum number of pieces of work to run, so that work that always
  ///   schedules more work comes to an end.
  public func run(limit: Int = 100_000) {
    for _ in 0..<max(0, limit) {
      guard let work = state.withLock({ $0.next(by: nil) }) else { return }
      work.action()
    }
  }

  fileprivate func remove(_ ticket: WorkQueue.Ticket) {
    let released = state.withLock { $0.remove(ticket) }
    withExtendedLifetime(released) {}
  }
}

/// A cancellable that removes work from the scheduler.
///
/// Releasing it does not remove the work.
private struct ScheduledWork: Cancellable {
  private weak var scheduler: TestScheduler?
  private let ticket: WorkQueue.Ticket

  init(scheduler: TestScheduler, ticket: WorkQueue.Ticket) {
    self.scheduler = scheduler
    self.ticket = ticket
  }

  func cancel() {
    scheduler?.remove(ticket)
  }
}
