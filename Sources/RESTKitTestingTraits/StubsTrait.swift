import RESTKitTesting
import Testing

/// Verifies every `StubTransport` that a test makes, when the test is over.
///
/// ```swift
/// @Suite(.stubs) struct OrderTests { … }
/// ```
///
/// What did not go by the scripts is an issue of that test, at the line of the stub or of its
/// verification: nothing is to be called at the end, and nothing is told twice that `verify()` threw
/// before. A mismatch is one issue: the error that it ends the test with and the stubs that are not used
/// because of it are no issues of their own.
public struct StubsTrait: TestTrait, SuiteTrait, TestScoping {
  /// Each test of a suite is verified by itself.
  public var isRecursive: Bool { true }

  init() {}

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    var isReported = false
    let error = try await StubTransport.verifyingAll { () async throws -> StubError? in
      do {
        try await body()
        return nil
      } catch let error as StubError where error.isReported {
        // What it would say is an issue of its own, at the line of the stub.
        return error
      }
    } report: { failure in
      isReported = true
      Issue.record("\(failure)", sourceLocation: SourceLocation(failure.location))
    }
    if let error, !isReported { throw error }
  }
}

extension Trait where Self == StubsTrait {
  /// Verifies every stub transport that the test makes.
  public static var stubs: StubsTrait { StubsTrait() }
}

extension SourceLocation {
  /// The line of a test that a stub was written in.
  public init(_ location: StubLocation) {
    self.init(
      fileID: "\(location.fileID)", filePath: "\(location.filePath)", line: Int(location.line),
      column: Int(location.column))
  }
}
