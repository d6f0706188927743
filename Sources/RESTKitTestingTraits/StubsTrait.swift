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
/// before.
public struct StubsTrait: TestTrait, SuiteTrait, TestScoping {
  /// Each test of a suite is verified by itself.
  public var isRecursive: Bool { true }

  init() {}

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await StubTransport.verifyingAll {
      try await body()
    } report: { failure in
      Issue.record("\(failure)", sourceLocation: SourceLocation(failure.location))
    }
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
