import Streams

extension StubTransport {
  /// Runs a test, and then verifies every stub transport that the test made.
  ///
  /// So no test can forget to verify. Each deviation from the scripts is reported once, when the
  /// test is over, on the test's own task, whether or not an error of the call reached the test. A
  /// call that fails because of a deviation throws an error that only names the failure. Unused
  /// responses are reported together with an earlier failure. A deviation belongs to the test on
  /// whose task it happens, or else to the test that made the transport. If this test is over, the
  /// deviation is written to standard error.
  ///
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
      scope.end(hasThrown: true, report)
      throw error
    }
    scope.end(hasThrown: false, report)
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
      scope.end(hasThrown: true, report)
      throw error
    }
    scope.end(hasThrown: false, report)
    return result
  }

  /// Runs an asynchronous test of a library that can mark known issues.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the test runs on; by default the caller's.
  ///   - operation: The test.
  ///   - atOnce: A closure that reports a failure when it happens on the test's own task, and
  ///     returns whether it fails the test.
  ///   - late: A closure that reports a failure that comes when the test is over, on any thread.
  ///   - report: A closure that receives each other failure when the test ends.
  package static func verifyingAll(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Void,
    atOnce: @escaping @Sendable (StubFailure) -> Bool,
    late: @escaping @Sendable (StubFailure) -> Void, report: (StubFailure) -> Void
  ) async throws {
    let scope = StubScope(StubScope.Reports(atOnce: atOnce, late: late))
    var thrown: StubError?
    do {
      try await StubScope.$current.withValue(scope, operation: operation)
    } catch let error as StubError where error.isReported {
      thrown = error
    } catch {
      // Unused responses are only a consequence of an error that ends the test.
      scope.end(hasThrown: true) { if $0.kind != .unusedStub { report($0) } }
      throw error
    }
    scope.end(hasThrown: thrown != nil, report)
    // The failure is already an issue, unless it is another test's.
    if let thrown, !scope.hasReported { throw thrown }
  }
}
