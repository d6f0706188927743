extension StubTransport {
  /// Runs a test, and then verifies every stub transport that was made in it.
  ///
  /// Nothing is to be remembered then: what did not go by the scripts is reported when the test is
  /// over, on its own task, each failure once. A call that fails because of it throws an error that only names
  /// the failure. Responses that nobody asked for are told with the failure that came before. With Swift Testing, the trait `.stubs` of
  /// `RESTKitTestingTraits` does it; with XCTest, a base class of three lines:
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
  ///   - report: Told of each failure, also where the test throws.
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

  /// Runs an asynchronous test, and then verifies every stub transport that was made in it.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the test runs on; the caller's.
  ///   - operation: The test.
  ///   - report: Told of each failure, also where the test throws.
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
