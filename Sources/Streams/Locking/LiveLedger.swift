import Synchronization

/// A count of the live objects of the subscriptions that a task makes, with the tasks and calls
/// below it.
///
/// Tests run at the same time, so each test has its own ledger. An object that is made while a
/// ledger is current counts there until its release, on any thread.
@usableFromInline package final class LiveLedger: Sendable {
  @TaskLocal package static var current: LiveLedger?

  // The counters are relaxed and there is no lock, because a ledger must not order threads that
  // would otherwise be unordered. ThreadSanitizer would miss the races that such an order hides.
  @usableFromInline final class Counter: Sendable {
    let alive = Atomic<Int>(0)
    let made = Atomic<Int>(0)
  }

  private let counters = LiveKind.allCases.map { _ in Counter() }

  private let teardowns = Lock<[@Sendable () -> Void]>([])

  package init() {}

  /// Stores a closure that a test must run at its end to close what it left open.
  package func addTeardown(_ teardown: @escaping @Sendable () -> Void) {
    teardowns.withLock { $0.append(teardown) }
  }

  /// Runs the stored closures.
  package func tearDown() {
    let all = teardowns.withLock { teardowns in
      defer { teardowns = [] }
      return teardowns
    }
    for teardown in all { teardown() }
  }

  /// The number of live objects.
  package var count: Int {
    counters.reduce(0) { $0 + $1.alive.load(ordering: .relaxed) }
  }

  /// The number of objects that have been made.
  package var total: Int {
    counters.reduce(0) { $0 + $1.made.load(ordering: .relaxed) }
  }

  /// The kinds of the live objects, each as often as there are objects of it.
  package var names: [String] {
    LiveKind.allCases.flatMap { kind in
      Array(
        repeating: "\(kind)",
        count: max(0, self[kind].alive.load(ordering: .relaxed)))
    }
  }

  subscript(kind: LiveKind) -> Counter { counters[kind.rawValue] }
}
