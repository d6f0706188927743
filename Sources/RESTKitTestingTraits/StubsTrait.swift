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
/// reported again. A mismatch is one issue: the error that ends the test and the stubs that stay
/// unused because of it are not reported separately. If another error ends the test, that error is
/// the issue, and the stubs that stay unused because of it are not reported.
public struct StubsTrait: TestTrait, SuiteTrait, TestScoping {
  /// True: each test of a suite is verified separately.
  public var isRecursive: Bool { true }

  init() {}

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    var isReported = false
    var unused: [StubFailure] = []
    let error = try await StubTransport.verifyingAll { () async throws -> StubError? in
      do {
        try await body()
        return nil
      } catch let error as StubError where error.isReported {
        // The error is already an issue at the line of the stub.
        return error
      }
    } report: { failure in
      if failure.kind == .unusedStub {
        unused.append(failure)
      } else {
        isReported = true
        Self.record(failure)
      }
    }
    // An error that ends the test was thrown before this line.
    unused.forEach(Self.record)
    if let error, !isReported, unused.isEmpty { throw error }
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
