import Synchronization

/// Counts what is alive of the subscriptions that a task makes, and the tasks and calls below it.
///
/// Tests run at the same time, so each has a ledger of its own: whoever is made while a ledger is
/// current counts there until it is released, on whatever thread that happens.
@usableFromInline package final class LiveLedger: Sendable {
  @TaskLocal package static var current: LiveLedger?

  // Relaxed counters and no lock: a ledger must not put threads in an order that they would not
  // have without it, or ThreadSanitizer would miss what it hides.
  @usableFromInline final class Counter: Sendable {
    let alive = Atomic<Int>(0)
    let made = Atomic<Int>(0)
  }

  private let counters = LiveKind.allCases.map { _ in Counter() }

  private let teardowns = Lock<[@Sendable () -> Void]>([])

  package init() {}

  /// Keeps what a test must do at its end to close what it left open.
  package func addTeardown(_ teardown: @escaping @Sendable () -> Void) {
    teardowns.withLock { $0.append(teardown) }
  }

  /// Closes what was left open.
  package func tearDown() {
    let all = teardowns.withLock { teardowns in
      defer { teardowns = [] }
      return teardowns
    }
    for teardown in all { teardown() }
  }

  /// How many are alive.
  package var count: Int {
    counters.reduce(0) { $0 + $1.alive.load(ordering: .relaxed) }
  }

  /// How many have been made.
  package var total: Int {
    counters.reduce(0) { $0 + $1.made.load(ordering: .relaxed) }
  }

  /// What is alive: each kind as often as there is one of it.
  package var names: [String] {
    LiveKind.allCases.flatMap { kind in
      Array(
        repeating: "\(kind)",
        count: max(0, self[kind].alive.load(ordering: .relaxed)))
    }
  }

  subscript(kind: LiveKind) -> Counter { counters[kind.rawValue] }
}
