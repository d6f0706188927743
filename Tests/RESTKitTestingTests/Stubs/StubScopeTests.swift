import Dispatch
import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import Testing

@Suite("ST-14: How failures of stubs reach a test")
struct StubScopeTests {
  /// The failures of a test, as a scope tells them.
  private func failures(of test: () throws -> Void) -> [StubFailure] {
    var failures: [StubFailure] = []
    try? StubTransport.verifyingAll(test) { failures.append($0) }
    return failures
  }

  @Test("ST-03, ST-05: A scope reports every transport made in it, at the lines of the test")
  func lines() {
    let line = UInt(#line)
    let failures = failures {
      let one = StubTransport()
      let two = StubTransport(
        StubAPIResponse(request: .get("/b")))
      _ = two
      try one.text("/a")
    }
    #expect(failures.map(\.kind) == [.unmatchedRequest, .unusedStub])
    #expect(failures.map(\.location.line) == [line + 2, line + 4])
    #expect(failures.allSatisfy { "\($0.location.filePath)" == #filePath })
    #expect(failures.allSatisfy { $0.location.column > 0 })
  }

  private static func mismatch() throws {
    let stubs = StubTransport(.text("1", for: "/a").then("2", for: "/b"))
    try stubs.text("/x")
  }

  @Test("A mismatch is reported once, at the line of the nearest stub, with its consequences")
  func oneViolation() throws {
    let line = UInt(#line + 2)
    let failures = failures {
      let stubs = StubTransport(StubAPIResponse(request: .get("/a")), .text("1", for: "/c"))
      try stubs.text("/x")
    }
    #expect(failures.map(\.kind) == [.unmatchedRequest])
    #expect(failures.first?.location.line == line)
    let text = try #require(failures.first?.description)
    #expect(text.contains("\nUnused, perhaps because of this:\n  GET \(base)/a → 200 ("))
    #expect(text.contains("\n  GET \(base)/c → 200 ("))
  }

  @Test("The error of a call whose mismatch the scope reports is short and names the place")
  func shortError() {
    let line = #line + 2
    _ = failures {
      let stubs = StubTransport(StubAPIResponse(request: .get("/a")))
      let error = #expect(throws: StubError.self) { try stubs.text("/x") }
      #expect(
        error?.description == """
          No stub for GET \(base)/x. See the report at RESTKitTestingTests/StubScopeTests.swift:\(line).
          """)
    }
  }

  @Test("With the trait, a mismatch that ends the test is one issue")
  func oneIssue() async throws {
    let test = try #require(Test.current)
    let issues = Counter()
    try await withKnownIssue {
      try await StubsTrait.stubs.provideScope(for: test, testCase: nil) { try Self.mismatch() }
    } matching: { issue in
      _ = issues.next()
      let text = (issue.error as? StubError)?.description
      return text?.hasPrefix("No stub for GET \(base)/x.\n") == true
        && text?.contains("\nUnused so far:\n  GET \(base)/a → 200 (") == true
    }
    #expect(issues.next() == 2)
  }

  @Test("With the trait, an error that ends the test is the only issue, although stubs stay unused")
  func otherError() async throws {
    let test = try #require(Test.current)
    await #expect(throws: CancellationError.self) {
      try await StubsTrait.stubs.provideScope(for: test, testCase: nil) {
        _ = StubTransport(StubAPIResponse(request: .get("/a")))
        throw CancellationError()
      }
    }
  }

  @Test("With the trait, a mismatch that verify throws, too, is one issue")
  func verifiedError() async throws {
    let test = try #require(Test.current)
    let issues = Counter()
    try await withKnownIssue {
      try await StubsTrait.stubs.provideScope(for: test, testCase: nil) {
        let stubs = StubTransport(.text("1", for: "/a"))
        _ = try? stubs.text("/x")
        try stubs.verify()
      }
    } matching: { _ in
      _ = issues.next()
      return true
    }
    #expect(issues.next() == 2)
  }

  @Test("A failure that verify threw is not reported again, and a later one is")
  func once() {
    let failures = failures {
      let stubs = StubTransport(.text("1", for: "/a"))
      _ = try? stubs.text("/told")
      #expect(throws: StubError.self) { try stubs.verify() }
      _ = try? stubs.text("/new")
    }
    #expect(failures.map(\.kind) == [.unmatchedRequest])
    #expect(failures.first?.description.contains("/new") == true)
  }

  @Test("A scope reports what happens in it to a transport made outside, and not its unused stubs")
  func outside() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    #expect(failures { _ = stubs.requests }.isEmpty)
    #expect(failures { _ = try? stubs.text("/x") }.map(\.kind) == [.unmatchedRequest])
    #expect(throws: StubError.self) { try stubs.verify() }
  }

  @Test("ST-06: A verification's failure on another thread is reported in its test")
  func otherThread() async {
    let task = TaskMark()
    let line = UInt(#line + 5)
    var failures: [StubFailure] = []
    await TaskMark.$current.withValue(task) {
      await StubTransport.verifyingAll {
        let stubs = StubTransport(
          StubAPIResponse(request: .get("/a")).thenVerifyRequest { _ in
            throw TestFailure(description: TaskMark.current === task ? "mine" : "another's")
          })
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            _ = try? stubs.text("/a")
            continuation.resume()
          }
        }
      } report: {
        failures.append($0)
      }
    }
    #expect(failures.map(\.location.line) == [line])
    #expect(failures.first?.underlyingError as? TestFailure == TestFailure(description: "mine"))
  }

  @Test("A thousand concurrent scopes each report their own failures")
  func sideBySide() async {
    await withTaskGroup { group in
      for number in 0..<1_000 {
        group.addTask {
          var failures: [StubFailure] = []
          await StubTransport.verifyingAll {
            let stubs = StubTransport(.text("1", for: "/\(number)"))
            await Task.yield()
            if number.isMultiple(of: 2) { _ = try? stubs.text("/\(number)") }
          } report: {
            failures.append($0)
          }
          return failures.map(\.description).joined().contains("/\(number) →")
            == !number.isMultiple(of: 2)
        }
      }
      #expect(await group.allSatisfy { $0 })
    }
  }

  @Test("The error of a call after the end of its test is short, too, and is no failure of another")
  func late() {
    var kept: [StubTransport] = []
    let failures = failures {
      kept = [
        StubTransport(),
        StubTransport(
          StubAPIResponse(request: .get("/x")).optional()
            .thenVerifyRequest { _ in throw TestFailure() }),
      ]
    }
    #expect(failures.isEmpty)
    let error = #expect(throws: StubError.self) { try kept[0].text("/x") }
    #expect(error?.description.contains(" See the report at ") == true)
    // Its check belonged to the test that is over, and is told on standard error.
    #expect(throws: Never.self) { try kept[1].text("/x") }
  }

  @Test("With the trait, a failure is an issue of the test, at the stub's line")
  func trait() async throws {
    let test = try #require(Test.current)
    let line = #line + 4
    try await withKnownIssue {
      try await StubsTrait.stubs.provideScope(for: test, testCase: nil) {
        _ = StubTransport(
          StubAPIResponse(request: .get("/a")))
      }
    } matching: { issue in
      issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
        && issue.comments.first?.rawValue.hasPrefix("No request came for GET \(base)/a") == true
    }
  }

  @Test("With the trait, a test whose stubs are used has no issue", .stubs)
  func silentTrait() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    try stubs.text("/a")
  }
}

private final class TaskMark: Sendable {
  @TaskLocal static var current: TaskMark?
}
