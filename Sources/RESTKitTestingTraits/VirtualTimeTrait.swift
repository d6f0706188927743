import Foundation
import RESTKitTesting
import Testing

/// A trait that gives each test a `VirtualTime` of its own.
///
/// If a call waited on another clock, such as `.continuous` or the time of another test, the test
/// gets a warning that names the call and what has the scheduler.
///
/// ```swift
/// @Test("A call is repeated after half a second at most", .virtualTime)
/// func retry() throws {
///   let time = try #require(VirtualTime.current)
///   let call = api.orders().sink { … }
///   time.advance(by: .milliseconds(500))
/// }
/// ```
public struct VirtualTimeTrait: TestTrait, SuiteTrait, TestScoping {
  private let start: Date
  private let seed: UInt64

  /// True: each test of a suite has a time of its own.
  public var isRecursive: Bool { true }

  fileprivate init(from start: Date, seed: UInt64) {
    self.start = start
    self.seed = seed
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await VirtualTime.run(from: start, seed: seed) { report in
      Self.record(report, at: test.sourceLocation)
    } _: { _ in
      try await body()
    }
  }

  private static func record(_ report: String, at location: SourceLocation) {
    #if compiler(>=6.3)
      Issue.record("\(report)", severity: .warning, sourceLocation: location)
    #else
      // An issue of earlier versions fails the test.
      VirtualTime.printReport(report)
    #endif
  }
}

extension Trait where Self == VirtualTimeTrait {
  /// A trait that gives each test a virtual time, which begins with the year 2026.
  public static var virtualTime: VirtualTimeTrait { .virtualTime() }

  /// A trait that gives each test a virtual time.
  ///
  /// - Parameters:
  ///   - start: The date at which a test begins.
  ///   - seed: The seed of the jitter of policies.
  public static func virtualTime(
    from start: Date = VirtualTime.defaultStart, seed: UInt64 = 0
  ) -> VirtualTimeTrait {
    VirtualTimeTrait(from: start, seed: seed)
  }
}
