import StreamsTesting
import Testing

/// Fails a test that leaves subscriptions alive.
package struct LeakFree: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await LiveSubscriptions.assertNone(after: body)
  }
}

extension Trait where Self == LeakFree {
  package static var leakFree: LeakFree { LeakFree() }
}
