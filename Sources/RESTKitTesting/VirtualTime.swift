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
/// It holds for what is created in the test's task and in the tasks that this task starts. A
/// constant that is shared with other tests may have been created before, and an explicit scheduler
/// such as `.continuous` or `.mainActor` remains what it is.
public struct VirtualTime: Sendable {
  /// The time of the test that runs in this task; nil outside of such a test.
  @TaskLocal public static var current: VirtualTime?

  /// The scheduler, for operators that need one, such as `debounce(for:scheduler:)`.
  public let scheduler = TestScheduler()
  private let start: Date

  private init(from start: Date) { self.start = start }

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

  private var standard: StandardTime {
    StandardTime(scheduler: scheduler) { [scheduler, start] in
      Self.date(from: start, after: scheduler.now)
    }
  }

  /// The beginning of 2026 in UTC, which is the date of a test unless it sets another one.
  public static let defaultStart = Date(timeIntervalSince1970: 1_767_225_600)

  /// Runs a test on virtual time.
  ///
  /// - Parameters:
  ///   - start: The date at which the test begins.
  ///   - operation: The test.
  public static func run<Result>(
    from start: Date = defaultStart, _ operation: (VirtualTime) throws -> Result
  ) rethrows -> Result {
    let time = VirtualTime(from: start)
    return try StandardTime.$current.withValue(time.standard) {
      try $current.withValue(time) { try operation(time) }
    }
  }

  /// Runs an asynchronous test on virtual time.
  ///
  /// - Parameters:
  ///   - start: The date at which the test begins.
  ///   - isolation: The actor that the test runs on; by default the caller's.
  ///   - operation: The test.
  public static func run<Result>(
    from start: Date = defaultStart, isolation: isolated (any Actor)? = #isolation,
    _ operation: (VirtualTime) async throws -> Result
  ) async rethrows -> Result {
    let time = VirtualTime(from: start)
    return try await StandardTime.$current.withValue(time.standard) {
      try await $current.withValue(time) { try await operation(time) }
    }
  }
}
