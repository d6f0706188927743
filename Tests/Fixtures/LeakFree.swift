import StreamsTesting
public import Testing

/// Fails a test that leaves subscriptions alive.
public struct LeakFree: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await LiveSubscriptions.assertNone(after: body)
  }
}

extension Trait where Self == LeakFree {
  public static var leakFree: LeakFree { LeakFree() }
}
