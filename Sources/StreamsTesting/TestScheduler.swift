import Streams

/// A scheduler whose time passes only on a test's command.
///
/// Due work runs on the thread that advances the time, in the order of its due time and then of its
/// scheduling. Work that it schedules runs in the same advance if it is due by then.
///
/// With a seed, work that is due at the same time, and immediate work, runs in a random order,
/// which is the same for the same seed. A concurrent queue may do the same. Code that works only in
/// the order of scheduling fails for some seed. ``explore(seeds:_:)`` tries many seeds.
public final class TestScheduler: Scheduler {
  private struct Work: Sendable {
    let id: Int
    let due: Duration
    let action: @Sendable () -> Void
  }

  private struct State: Sendable {
    var now: Duration = .zero
    var nextID = 0
    var waiting: [Work] = []
    var generator: SeededGenerator?

    /// Takes out the next work, if it is due by the target.
    mutating func next(by target: Duration?) -> Work? {
      guard let due = waiting.first?.due, target.map({ due <= $0 }) ?? true else { return nil }
      now = max(now, due)
      guard var generator else { return waiting.removeFirst() }
      let ready = waiting.firstIndex { $0.due > now } ?? waiting.count
      let place = Int.random(in: 0..<ready, using: &generator)
      self.generator = generator
      return waiting.remove(at: place)
    }

    mutating func add(due: Duration, _ action: @escaping @Sendable () -> Void) -> Int {
      let work = Work(id: nextID, due: due, action: action)
      nextID += 1
      let place = waiting.firstIndex { $0.due > due } ?? waiting.count
      waiting.insert(work, at: place)
      return work.id
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
  public var pendingCount: Int { state.withLock { $0.waiting.count } }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    _ = state.withLock { $0.add(due: $0.now, action) }
  }

  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let id = state.withLock { $0.add(due: $0.now.adding(max(delay, .zero)), action) }
    return AnyScheduledWork { [weak self] in self?.remove(id) }
  }

  /// Advances the time and runs the work that becomes due.
  ///
  /// - Parameter duration: The time to advance by. Zero runs the work that is due now.
  public func advance(by duration: Duration = .zero) {
    let target = state.withLock { $0.now.adding(duration) }
    while let work = state.withLock({ $0.next(by: target) }) { work.action() }
    state.withLock { $0.now = max($0.now, target) }
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

  private func remove(_ id: Int) {
    let released: Work? = state.withLock { state in
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
    }
    withExtendedLifetime(released) {}
  }
}

/// A cancellable that removes work from the scheduler.
///
/// Releasing it does not remove the work.
private struct AnyScheduledWork: Cancellable {
  let remove: @Sendable () -> Void

  func cancel() {
    remove()
  }
}
