import Foundation
import RESTKitTesting
import Testing

/// A trait that gives each test a `VirtualTime` of its own.
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

  /// True: each test of a suite has a time of its own.
  public var isRecursive: Bool { true }

  fileprivate init(from start: Date) { self.start = start }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await VirtualTime.run(from: start) { _ in try await body() }
  }
}

extension Trait where Self == VirtualTimeTrait {
  /// A trait that gives each test a virtual time, which begins with the year 2026.
  public static var virtualTime: VirtualTimeTrait { .virtualTime(from: VirtualTime.defaultStart) }

  /// A trait that gives each test a virtual time.
  ///
  /// - Parameter start: The date at which a test begins.
  public static func virtualTime(from start: Date) -> VirtualTimeTrait {
    VirtualTimeTrait(from: start)
  }
}
