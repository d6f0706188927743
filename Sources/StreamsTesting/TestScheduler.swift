import Streams

/// A scheduler whose time passes only when a test says so.
///
/// Work that is due runs on the thread that advances, in the order of its time, then of its
/// scheduling; work that it schedules in turn runs in the same advance if it is due by then.
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

    mutating func add(due: Duration, _ action: @escaping @Sendable () -> Void) -> Int {
      let work = Work(id: nextID, due: due, action: action)
      nextID += 1
      let place = waiting.firstIndex { $0.due > due } ?? waiting.count
      waiting.insert(work, at: place)
      return work.id
    }
  }

  private let state = Lock(State())

  public init() {}

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
    let id = state.withLock { $0.add(due: $0.now + max(delay, .zero), action) }
    return AnyScheduledWork { [weak self] in self?.remove(id) }
  }

  /// Lets time pass and runs what falls due.
  ///
  /// - Parameter duration: How far to go; zero runs what is due now.
  public func advance(by duration: Duration = .zero) {
    let target = state.withLock { $0.now + duration }
    run { $0.due <= target }
    state.withLock { $0.now = max($0.now, target) }
  }

  /// Runs everything that waits, and what that schedules, jumping from one due time to the next.
  ///
  /// - Parameter limit: How many pieces of work to run at most, so that work that always schedules
  ///   more comes to an end.
  public func run(limit: Int = 100_000) {
    var left = limit
    run { _ in
      left -= 1
      return left >= 0
    }
  }

  private func run(while isDue: (Work) -> Bool) {
    while let next = state.withLock({ $0.waiting.first }), isDue(next) {
      let work: Work? = state.withLock { state in
        guard let index = state.waiting.firstIndex(where: { $0.id == next.id }) else { return nil }
        state.now = max(state.now, next.due)
        return state.waiting.remove(at: index)
      }
      work?.action()
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
