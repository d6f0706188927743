import Synchronization

/// A count of the live objects of the subscriptions that a task makes, with the tasks and calls
/// below it.
///
/// Tests run at the same time, so each test has its own counter. An object that is made while a
/// counter is current counts there until its release, on any thread.
@usableFromInline package final class LeakCounter: Sendable {
  @TaskLocal package static var current: LeakCounter?

  // The counters are relaxed and there is no lock, because a counter must not order threads that
  // would otherwise be unordered. ThreadSanitizer would miss the races that such an order hides.
  @usableFromInline final class Counter: Sendable {
    /// The address of the name of the class that is counted here; 0 if there is none yet.
    fileprivate let name = Atomic<UInt>(0)
    let alive = Atomic<Int>(0)
    let made = Atomic<Int>(0)
  }

  // More than the classes that are counted, also if each module has its own copy of a name.
  private let counters = (0..<256).map { _ in Counter() }

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

  /// The names of the live objects' classes, each as often as there are objects of it.
  package var names: [String] {
    counters.flatMap { counter in
      let name = UnsafePointer<CChar>(bitPattern: counter.name.load(ordering: .relaxed))
      return Array(
        repeating: name.map { String(cString: $0) } ?? "",
        count: max(0, counter.alive.load(ordering: .relaxed)))
    }.sorted()
  }

  /// Returns the counter of a class.
  ///
  /// The first object of the class takes the first free counter from the place that belongs to its
  /// name.
  @usableFromInline func counter(of name: StaticString) -> Counter {
    let address = UInt(bitPattern: name.utf8Start)
    let place = Int(truncatingIfNeeded: address / 8)
    for step in counters.indices {
      let counter = counters[(place &+ step) & (counters.count - 1)]
      let known = counter.name.load(ordering: .relaxed)
      if known == address { return counter }
      guard known == 0 else { continue }
      let (isTaken, other) = counter.name.compareExchange(
        expected: 0, desired: address, ordering: .relaxed)
      if isTaken || other == address { return counter }
    }
    // All are taken. The count is right all the same.
    return counters[0]
  }
}
