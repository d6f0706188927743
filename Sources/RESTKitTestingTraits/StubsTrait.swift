import RESTKitTesting
import Testing

/// A trait that verifies every `StubTransport` of a test when the test ends.
///
/// ```swift
/// @Suite(.stubs) struct OrderTests { … }
/// ```
///
/// Each deviation from the scripts is an issue of that test, at the line of the stub or of its
/// verification. The test needs no call at its end. A failure that `verify()` already threw is not
/// reported again. A mismatch is one issue, even if no error of it reaches the test: the error that
/// ends the test and the stubs that stay unused because of it are not reported separately. If
/// another error ends the test, that error is the issue, and the stubs that stay unused because of
/// it are not reported.
///
/// A mismatch on the test's own task is an issue at once, with a `StubError` as its error. So it is
/// a known issue inside of `withKnownIssue`. Other mismatches are issues at the end of the test. A
/// mismatch that comes later is an issue, too, which Swift Testing may not assign to a test.
public struct StubsTrait: TestTrait, SuiteTrait, TestScoping {
  /// True: each test of a suite is verified separately.
  public var isRecursive: Bool { true }

  init() {}

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await StubTransport.verifyingAll {
      try await body()
    } atOnce: { failure in
      // With the error, as one that the call throws, so that a matcher of known issues finds it.
      let issue = Issue.record(
        StubError(failure), sourceLocation: SourceLocation(failure.location))
      #if compiler(>=6.3)
        return issue.isFailure
      #else
        // Known issues look like others, so that each repetition is an issue.
        _ = issue
        return false
      #endif
    } late: { failure in
      Self.record(failure)
    } report: { failure in
      Self.record(failure)
    }
  }

  private static func record(_ failure: StubFailure) {
    Issue.record("\(failure)", sourceLocation: SourceLocation(failure.location))
  }
}

extension Trait where Self == StubsTrait {
  /// A trait that verifies every stub transport of the test.
  public static var stubs: StubsTrait { StubsTrait() }
}

extension SourceLocation {
  /// Makes the source location of a stub in a test.
  public init(_ location: StubLocation) {
    self.init(
      fileID: "\(location.fileID)", filePath: "\(location.filePath)", line: Int(location.line),
      column: Int(location.column))
  }
}
