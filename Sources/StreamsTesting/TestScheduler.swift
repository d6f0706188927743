import Streams

/// A scheduler whose time passes only when a test says so.
///
/// Work that is due runs on the thread that advances, in the order of its time, then of its
/// scheduling; work that it schedules in turn runs in the same advance if it is due by then.
///
/// With a seed, work that is due at the same time, and work that is to run at once, runs in an order
/// that is drawn: the same for the same seed. That is what a concurrent queue may do; what only
/// holds in the order of scheduling fails for some seed. ``explore(seeds:_:)`` tries many.
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

    /// Takes out what runs next, if it is due by then.
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

  /// The seed by which the order of work is drawn that is due at the same time.
  public let seed: UInt64?

  /// - Parameter seed: Draws the order of work that is due at the same time; nil for the order in
  ///   which it was scheduled.
  public init(seed: UInt64? = nil) {
    self.seed = seed
    state = Lock(State(generator: seed.map { SeededGenerator(seed: $0) }))
  }

  /// Runs a test with a new scheduler for each seed, until it throws.
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

  /// The virtual time since this scheduler was made.
  public var now: Duration { state.withLock { $0.now } }

  /// How many pieces of work wait, due or not.
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

  /// Lets time pass and runs what falls due.
  ///
  /// - Parameter duration: How far to go; zero runs what is due now.
  public func advance(by duration: Duration = .zero) {
    let target = state.withLock { $0.now.adding(duration) }
    while let work = state.withLock({ $0.next(by: target) }) { work.action() }
    state.withLock { $0.now = max($0.now, target) }
  }

  /// Runs everything that waits, and what that schedules, jumping from one due time to the next.
  ///
  /// - Parameter limit: How many pieces of work to run at most, so that work that always schedules
  ///   more comes to an end.
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

/// Takes work back when cancelled; dropping it does not.
private struct AnyScheduledWork: Cancellable {
  let remove: @Sendable () -> Void

  func cancel() {
    remove()
  }
}
