import Streams

extension StubTransport {
  /// Runs a test, and then verifies every stub transport that the test made.
  ///
  /// So no test can forget to verify. Each deviation from the scripts is reported once, when the
  /// test is over, on the test's own task. A call that fails because of a deviation throws an error
  /// that only names the failure. Unused responses are reported together with an earlier failure.
  /// With Swift Testing, use the trait `.stubs` of `RESTKitTestingTraits`. With XCTest, use a base
  /// class with these lines:
  ///
  /// ```swift
  /// override func invokeTest() {
  ///   StubTransport.verifyingAll { super.invokeTest() } report: {
  ///     XCTFail("\($0)", file: $0.location.filePath, line: $0.location.line)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - operation: The test.
  ///   - report: A closure that receives each failure, even if the test throws.
  public static func verifyingAll<Result>(
    _ operation: () throws -> Result, report: (StubFailure) -> Void
  ) rethrows -> Result {
    let scope = StubScope()
    let result: Result
    do {
      result = try StubScope.$current.withValue(scope, operation: operation)
    } catch {
      scope.verify(hasThrown: true, report)
      throw error
    }
    scope.verify(hasThrown: false, report)
    return result
  }

  /// Runs an asynchronous test, and then verifies every stub transport that the test made.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the test runs on; by default the caller's.
  ///   - operation: The test.
  ///   - report: A closure that receives each failure, even if the test throws.
  public static func verifyingAll<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result,
    report: (StubFailure) -> Void
  ) async rethrows -> Result {
    let scope = StubScope()
    let result: Result
    do {
      result = try await StubScope.$current.withValue(scope, operation: operation)
    } catch {
      scope.verify(hasThrown: true, report)
      throw error
    }
    scope.verify(hasThrown: false, report)
    return result
  }
}

/// The stubs that were made in a test that is verified as a whole.
final class StubScope: Sendable {
  @TaskLocal static var current: StubScope?

  private let logs = Lock<[StubLog]>([])

  func add(_ log: StubLog) {
    logs.withLock { $0.append(log) }
  }

  /// Reports the failures.
  ///
  /// If there are none, writes the recordings.
  ///
  /// - Parameter hasThrown: Whether the test has thrown an error.
  func verify(hasThrown: Bool, _ report: (StubFailure) -> Void) {
    let logs = logs.withLock { $0 }
    var failures = logs.flatMap { $0.tellRemainingFailures() }
    if !hasThrown, failures.isEmpty, !logs.contains(where: \.hasFailed) {
      failures = logs.flatMap { $0.save() }
    }
    failures.forEach(report)
  }
}
