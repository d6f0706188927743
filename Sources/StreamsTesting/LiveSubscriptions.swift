import Streams

/// A count of the subscriptions that a piece of code has made and that are not released.
///
/// A subscription that is over, by its end or by a cancel, must be released with everything that
/// belongs to it (contract C-7). A subscription that is left has leaked. The usual reason is a
/// closure of the pipeline that holds the cancellable that holds the pipeline. A trait makes each
/// test check this:
///
/// ```swift
/// struct LeakFree: TestTrait, SuiteTrait, TestScoping {
///   var isRecursive: Bool { true }
///
///   func provideScope(
///     for test: Test, testCase: Test.Case?,
///     performing body: @Sendable @concurrent () async throws -> Void
///   ) async throws {
///     try await LiveSubscriptions.assertNone(after: body)
///   }
/// }
/// ```
///
/// The count includes the objects that Streams makes for subscriptions, in debug builds. A release
/// build marks no objects, so every count is zero. Tasks inherit the counting. Threads and dispatch
/// queues do not, but they can ``resume(_:)`` it.
public struct LiveSubscriptions: Sendable {
  /// The error that lists the objects that should have been released.
  public struct Leak: Error, CustomStringConvertible {
    /// The kinds of the live objects, each as often as there are objects of it.
    public let names: [String]

    public var description: String {
      "\(names.count) objects of subscriptions are still alive: \(names.joined(separator: ", "))"
    }
  }

  private let counter: LeakCounter

  /// Creates a new count.
  public init() {
    counter = LeakCounter()
  }

  private init(_ counter: LeakCounter) {
    self.counter = counter
  }

  /// The innermost count for the calling code.
  public static var current: LiveSubscriptions? {
    LeakCounter.current.map { LiveSubscriptions($0) }
  }

  /// Whether this build counts.
  public static var isCounting: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// The number of live objects of subscriptions.
  public var count: Int { counter.count }

  /// The number of objects of subscriptions that have been made.
  public var total: Int { counter.total }

  /// The kinds of the live objects, each as often as there are objects of it.
  public var names: [String] { counter.names }

  /// Counts the subscriptions that the body makes, on this thread and in the tasks that it starts.
  public func resume<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outcome: Swift.Result<Result, Failure> = LeakCounter.$current.withValue(counter) {
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  /// Counts the subscriptions that the body makes, in this task and in the tasks that it starts.
  public func resume<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await LeakCounter.$current.withValue(counter, operation: body, isolation: isolation)
  }

  /// Runs the body and fails if subscriptions that it made are left.
  ///
  /// A ``TestSubscriber`` holds its subscription, so the subscriptions that the body leaves open
  /// are cancelled first. Other threads and tasks may still be returning when the body returns. The
  /// method waits for them.
  ///
  /// - Parameters:
  ///   - limit: The time to wait before the remaining objects count as a leak.
  ///   - isolation: The actor that the body runs on, by default the caller's.
  ///   - body: The code that must leave no subscription.
  /// - Throws: The body's error, or a ``Leak``.
  public static func assertNone<Result: Sendable>(
    within limit: Duration = .seconds(300), isolation: isolated (any Actor)? = #isolation,
    after body: () async throws -> Result
  ) async throws -> Result {
    let live = LiveSubscriptions()
    defer { live.counter.tearDown() }
    let result = try await live.resume(isolation: isolation, body)
    live.counter.tearDown()
    let deadline = ContinuousClock.now + limit
    // If nothing leaks, the wait is short or none: the last holders are returning from their calls.
    // The loop polls, because a release that wakes another thread would order the threads, and hide
    // from ThreadSanitizer what that order hides.
    while live.count > 0, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(1))
    }
    if live.count > 0 { throw Leak(names: live.names) }
    return result
  }
}
