import Streams

/// Counts the subscriptions that a piece of code makes and that are not released yet.
///
/// A subscription that is over, by its end or by a cancel, must be gone with all that belongs to it
/// (contract C-7). One that is left has leaked: most often a closure of the pipeline holds the
/// cancellable that holds the pipeline. A test says so by itself with a trait:
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
/// Counted are the objects that Streams makes for subscriptions, in debug builds; a release build
/// makes none of the marks, and there every count is zero. Tasks inherit the counting; threads and
/// dispatch queues do not, but can ``resume(_:)`` it.
public struct LiveSubscriptions: Sendable {
  /// What is left after it should have been released.
  public struct Leak: Error, CustomStringConvertible {
    /// The kinds of objects that are alive, each as often as there is one of it.
    public let names: [String]

    public var description: String {
      "\(names.count) objects of subscriptions are still alive: \(names.joined(separator: ", "))"
    }
  }

  private let ledger: LiveLedger

  /// Makes a count of its own.
  public init() {
    ledger = LiveLedger()
  }

  private init(_ ledger: LiveLedger) {
    self.ledger = ledger
  }

  /// The innermost count that the calling code runs under.
  public static var current: LiveSubscriptions? {
    LiveLedger.current.map { LiveSubscriptions($0) }
  }

  /// Whether this build counts.
  public static var isCounting: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// How many objects of subscriptions are alive.
  public var count: Int { ledger.count }

  /// How many objects of subscriptions have been made.
  public var total: Int { ledger.total }

  /// The kinds of the live objects, each as often as there are objects of it.
  public var names: [String] { ledger.names }

  /// Counts what the body makes, on this thread and in the tasks that it starts.
  public func resume<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outcome: Swift.Result<Result, Failure> = LiveLedger.$current.withValue(ledger) {
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  /// Counts what the body makes, in this task and in those that it starts.
  public func resume<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await LiveLedger.$current.withValue(ledger, operation: body, isolation: isolation)
  }

  /// Runs the body and fails if subscriptions are left that it made.
  ///
  /// A ``TestSubscriber`` holds its subscription, so those that the body leaves open are cancelled
  /// first. Other threads and tasks may be on their way out when the body returns: it waits for
  /// them.
  ///
  /// - Parameters:
  ///   - limit: How long to wait before it calls what is left a leak.
  ///   - isolation: The actor that the body runs on; the caller's.
  ///   - body: What must leave no subscription.
  /// - Throws: What the body throws, or a ``Leak``.
  public static func assertNone<Result: Sendable>(
    within limit: Duration = .seconds(300), isolation: isolated (any Actor)? = #isolation,
    after body: () async throws -> Result
  ) async throws -> Result {
    let live = LiveSubscriptions()
    defer { live.ledger.tearDown() }
    let result = try await live.resume(isolation: isolation, body)
    live.ledger.tearDown()
    let deadline = ContinuousClock.now + limit
    // Nobody waits where nothing leaks, or hardly: the last holders are returning from their calls.
    // It looks again and again, since a release that woke somebody would put threads in an order,
    // and hide from ThreadSanitizer what that order hides.
    while live.count > 0, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(1))
    }
    if live.count > 0 { throw Leak(names: live.names) }
    return result
  }
}
