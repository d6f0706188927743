import StreamsTesting
import Testing

/// Fails a test that leaves subscriptions alive.
struct LeakFree: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await LiveSubscriptions.assertNone(after: body)
  }
}

extension Trait where Self == LeakFree {
  static var leakFree: LeakFree { LeakFree() }
}
