import Foundation
import Streams
import Synchronization

/// The time of a test on virtual time, for what has none of its own.
package final class TestTime: Sendable {
  /// That of the test in whose task this code runs; nil for the system's.
  @TaskLocal package static var current: TestTime?

  package let scheduler: any Scheduler
  package let date: @Sendable () -> Date
  /// The source of jitter, of which each subscription has a copy.
  package let generator: any RandomNumberGenerator & Sendable
  private let isElsewhere: @Sendable (any Scheduler) -> Bool
  private let over = Atomic<Bool>(false)
  private let waits = Lock(TestTimeWaits())

  /// - Parameter isElsewhere: A closure that returns whether a scheduler never follows a command of
  ///   this test: the system's, or that of another test on virtual time.
  package init(
    scheduler: any Scheduler, date: @escaping @Sendable () -> Date,
    generator: any RandomNumberGenerator & Sendable,
    isElsewhere: @escaping @Sendable (any Scheduler) -> Bool
  ) {
    self.scheduler = scheduler
    self.date = date
    self.generator = generator
    self.isElsewhere = isElsewhere
  }

  /// Whether the test is over, so that nobody lets its time pass any more.
  var isOver: Bool { over.load(ordering: .relaxed) }

  /// Ends the test.
  ///
  /// - Returns: A report of each wait on another clock than the test's.
  package func end() -> [String] {
    over.store(true, ordering: .relaxed)
    let limits = waits.withLock { waits in
      defer { waits.limits = [:] }
      return waits.limits
    }
    let now = scheduler.now
    for (_, limit) in limits.sorted(by: { $0.key < $1.key }) where limit.due <= now {
      report(limit.gap())
    }
    return waits.withLock { $0.reports }
  }

  // MARK: Waits on other clocks

  /// Records that a call waits, and reports it if the wait is on a clock that is not this test's.
  ///
  /// - Parameters:
  ///   - owner: The name of what has the scheduler.
  ///   - call: The request that waits, if it is known.
  package func noteWait(
    of time: Duration, on scheduler: any Scheduler, by owner: String,
    call: (any CustomStringConvertible & Sendable)?
  ) {
    guard time > .zero, isElsewhere(scheduler) else { return }
    report(TestTimeGap(time: time, owner: owner, call: call))
  }

  /// Returns a scheduler for a time limit.
  ///
  /// If it is not this test's, a report says when this test's time passes the limit, and when the
  /// limit is over by the scheduler's own time. A limit that is not reached is nobody's mistake.
  package func timing(
    _ scheduler: any Scheduler, by owner: String,
    call: @escaping @Sendable () -> (any CustomStringConvertible & Sendable)?
  ) -> any Scheduler {
    guard isElsewhere(scheduler) else { return scheduler }
    return WatchedScheduler(base: scheduler, test: self) { time in
      TestTimeGap(time: time, owner: owner, call: call())
    }
  }

  fileprivate func beginLimit(of time: Duration, _ gap: @escaping @Sendable () -> TestTimeGap)
    -> Int
  {
    let due = scheduler.now.adding(time)
    return waits.withLock { $0.begin(due: due, gap) }
  }

  /// - Parameter isReached: Whether the limit is over by its own scheduler.
  fileprivate func endLimit(_ number: Int, isReached: Bool) {
    let now = scheduler.now
    guard let limit = waits.withLock({ $0.limits.removeValue(forKey: number) }),
      isReached || limit.due <= now
    else { return }
    report(limit.gap())
  }

  private func report(_ gap: TestTimeGap) {
    let text = "\(gap)"
    waits.withLock { waits in
      if !waits.reports.contains(text) { waits.reports.append(text) }
    }
  }
}

/// The waits on other clocks than a test's.
private struct TestTimeWaits: Sendable {
  /// A time limit that is measured on another clock.
  struct Limit: Sendable {
    /// The end of the limit, by the test's time.
    let due: Duration
    let gap: @Sendable () -> TestTimeGap
  }

  var limits: [Int: Limit] = [:]
  private var next = 0
  var reports: [String] = []

  mutating func begin(due: Duration, _ gap: @escaping @Sendable () -> TestTimeGap) -> Int {
    defer { next += 1 }
    limits[next] = Limit(due: due, gap: gap)
    return next
  }
}

/// A wait on another clock than the test's.
private struct TestTimeGap: CustomStringConvertible {
  let time: Duration
  let owner: String
  let call: (any CustomStringConvertible & Sendable)?

  var description: String {
    """
    \(call.map { "\($0)" } ?? "A call") waits \(time.shortText) on the scheduler of its \(owner).
    This test's virtual time does not move that scheduler. Make the \(owner) in the test, without \
    a scheduler.
    """
  }
}

/// A scheduler whose delays a test hears of.
private struct WatchedScheduler: Scheduler {
  private struct Timer: Cancellable {
    let work: any Cancellable
    let end: @Sendable () -> Void

    func cancel() {
      work.cancel()
      end()
    }
  }

  let base: any Scheduler
  let test: TestTime
  let gap: @Sendable (Duration) -> TestTimeGap

  var now: Duration { base.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { base.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let number = test.beginLimit(of: delay) { [gap] in gap(delay) }
    let work = base.schedule(after: delay) { [test] in
      test.endLimit(number, isReached: true)
      action()
    }
    return Timer(work: work) { [test] in test.endLimit(number, isReached: false) }
  }
}
