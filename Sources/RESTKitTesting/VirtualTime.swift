import Dispatch
import Foundation
import RESTKit
import Streams
import StreamsTesting

/// The time of a test, which passes on the test's command alone, in one place.
///
/// What the test creates without a scheduler or a wall clock of its own has this time: sessions,
/// retry policies, limiters, deadlines, caches, stores, grants, recorders and stubs.
///
/// ```swift
/// try VirtualTime.run { time in
///   let stubs = StubTransport(script)
///   let api = ShopAPI(transport: stubs, retry: RetryPolicy())
///   let call = api.orders().sink { … }
///   time.advance(by: .seconds(2))
/// }
/// ```
///
/// With Swift Testing, use the trait `.virtualTime` of RESTKitTestingTraits, and ``current``.
///
/// It holds in the test's task and in the tasks that this task starts. A policy, a grant or a store
/// has the time of the test that uses it, also if it is a `static let` that an earlier test made.
/// What has a state that is measured on its clock keeps the time in which it was made: sessions,
/// limiters, caches, recorders and deadlines. `StandardTime` gives types of an app the test's time.
///
/// The jitter of policies comes from a seed, and each subscription draws the same numbers.
///
/// An explicit scheduler such as `.continuous` or `.mainActor` remains what it is. If a call waits
/// on it, or on the time of another test, a report says which call and for how long. The trait
/// makes a warning of it, and ``run(from:seed:report:_:)`` prints it to standard error.
///
/// A test that awaits a call which waits for the test's own time has nobody who lets that time
/// pass. After ten seconds of real time, a text on standard error says so.
public struct VirtualTime: Sendable {
  /// The time of the test that runs in this task; nil outside of such a test.
  @TaskLocal public static var current: VirtualTime?

  /// The scheduler, for operators that need one, such as `debounce(for:scheduler:)`.
  public let scheduler = TestScheduler(isOfVirtualTime: true)
  private let start: Date
  private let seed: UInt64

  private init(from start: Date, seed: UInt64) {
    self.start = start
    self.seed = seed
  }

  /// The date, which goes on with the scheduler's time.
  public var date: Date { Self.date(from: start, after: scheduler.now) }

  private static func date(from start: Date, after time: Duration) -> Date {
    let (seconds, attoseconds) = time.components
    return start + Double(seconds) + Double(attoseconds) / 1e18
  }

  /// Lets time pass, and runs the work that becomes due, on this thread.
  ///
  /// - Parameter duration: The time. Zero runs the work that is due now.
  public func advance(by duration: Duration = .zero) { scheduler.advance(by: duration) }

  /// Lets time pass until no work waits, and runs the work, on this thread.
  public func run() { scheduler.run() }

  private var standard: TestTime {
    TestTime(
      scheduler: scheduler,
      date: { [scheduler, start] in Self.date(from: start, after: scheduler.now) },
      generator: SeededGenerator(seed: seed)
    ) { [scheduler] other in
      switch other {
      case let other as TestScheduler: other !== scheduler && other.isOfVirtualTime
      // Another type may be a test's own, and is not blamed.
      default: Self.isReal(other)
      }
    }
  }

  /// Whether a scheduler is one on which real time passes.
  private static func isReal(_ scheduler: any Scheduler) -> Bool {
    scheduler is DispatchQueue || scheduler is MainActorScheduler || scheduler is OperationQueue
      || scheduler is ClockScheduler<ContinuousClock>
      || scheduler is ClockScheduler<SuspendingClock>
  }

  /// The beginning of 2026 in UTC, which is the date of a test unless it sets another one.
  public static let defaultStart = Date(timeIntervalSince1970: 1_767_225_600)

  /// Prints a report about a wait on another clock to standard error.
  public static func printReport(_ report: String) {
    // The other way to write traps if the stream is closed.
    try? FileHandle.standardError.write(contentsOf: Data("\(report)\n".utf8))
  }

  /// Runs a test on virtual time.
  ///
  /// - Parameters:
  ///   - start: The date at which the test begins.
  ///   - seed: The seed of the jitter.
  ///   - report: A closure that receives, when the test is over, a text for each call that waited
  ///     on another clock, such as `.continuous` or the time of another test.
  ///   - operation: The test.
  public static func run<Result>(
    from start: Date = defaultStart, seed: UInt64 = 0,
    report: (String) -> Void = VirtualTime.printReport,
    _ operation: (VirtualTime) throws -> Result
  ) rethrows -> Result {
    let time = VirtualTime(from: start, seed: seed)
    let standard = time.standard
    defer { standard.end().forEach(report) }
    return try TestTime.$current.withValue(standard) {
      try $current.withValue(time) { try operation(time) }
    }
  }

  /// Runs an asynchronous test on virtual time.
  ///
  /// - Parameters:
  ///   - start: The date at which the test begins.
  ///   - seed: The seed of the jitter.
  ///   - report: A closure that receives, when the test is over, a text for each call that waited
  ///     on another clock, such as `.continuous` or the time of another test.
  ///   - isolation: The actor that the test runs on; by default the caller's.
  ///   - operation: The test.
  public static func run<Result>(
    from start: Date = defaultStart, seed: UInt64 = 0,
    report: (String) -> Void = VirtualTime.printReport,
    isolation: isolated (any Actor)? = #isolation,
    _ operation: (VirtualTime) async throws -> Result
  ) async rethrows -> Result {
    try await run(
      from: start, seed: seed, report: report, standstill: Standstill(), isolation: isolation,
      operation)
  }

  /// - Parameter standstill: When, and to whom, it is told that the test waits for its own time.
  package static func run<Result>(
    from start: Date = defaultStart, seed: UInt64 = 0, report: (String) -> Void,
    standstill: Standstill, isolation: isolated (any Actor)? = #isolation,
    _ operation: (VirtualTime) async throws -> Result
  ) async rethrows -> Result {
    let time = VirtualTime(from: start, seed: seed)
    let watch = standstill.watch(time.scheduler)
    defer { watch.cancel() }
    let standard = time.standard
    defer { standard.end().forEach(report) }
    return try await TestTime.$current.withValue(standard) {
      try await $current.withValue(time) { try await operation(time) }
    }
  }
}

extension VirtualTime {
  /// A watch for a test that waits for its own time, which nobody lets pass then.
  package struct Standstill: Sendable {
    private let patience: Duration
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - patience: The real time in which the test's time stands while work waits for it.
    ///   - report: A closure that receives the report, once.
    package init(
      patience: Duration = .seconds(10),
      report: @escaping @Sendable (String) -> Void = VirtualTime.printReport
    ) {
      self.patience = patience
      self.report = report
    }

    fileprivate func watch(_ scheduler: TestScheduler) -> Task<Void, Never> {
      Task.detached {
        var last: Duration?
        // A sleep throws only in a cancelled task, and the end of the test cancels this one.
        while (try? await Task.sleep(for: patience)) != nil {
          let (now, count) = (scheduler.now, scheduler.pendingCount)
          guard count == 0 || last != now else {
            return report(text(now: now, count: count))
          }
          last = count == 0 ? nil : now
        }
      }
    }

    private func text(now: Duration, count: Int) -> String {
      """
      This test waits, its virtual time stands at \(now.shortText), and work waits for it to pass \
      (\(count) pieces). A test that awaits a call cannot let time pass meanwhile: subscribe with \
      sink or testSubscriber(), or begin the call with async let, and then write \
      time.advance(by:) or time.run().
      """
    }
  }
}
