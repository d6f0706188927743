import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import Testing

@Suite("A mismatch is told once, at its test, whoever swallowed it")
struct StubTellingTests {
  /// The issues of a test with the trait, each as the first line of its text.
  private func issues(
    of body: @escaping @Sendable () async throws -> Void
  ) async throws -> [String] {
    try await issues {
      try await StubsTrait.stubs.provideScope(for: $0, testCase: nil, performing: body)
    }
  }

  private func issues(during body: (Test) async throws -> Void) async throws -> [String] {
    let test = try #require(Test.current)
    let texts = ValueList<String>()
    try await withKnownIssue(isIntermittent: true) {
      try await body(test)
    } matching: { issue in
      let text = issue.error.map { "\($0)" } ?? issue.comments.first?.rawValue ?? ""
      texts.add(String(text.prefix { $0 != "\n" }))
      return true
    }
    return texts.all
  }

  @Test("A mismatch inside of a known issue does not fail the test again", .stubs)
  func known() {
    withKnownIssue {
      let stubs = StubTransport(.text("1", for: "/a"))
      try stubs.text("/x")
    }
  }

  @Test("A matcher of known issues finds a mismatch by its error", .stubs)
  func matched() throws {
    try withKnownIssue {
      let stubs = StubTransport(.text("1", for: "/a"))
      try stubs.text("/x")
    } matching: {
      ($0.error as? StubError)?.failures.map(\.kind) == [.unmatchedRequest]
    }
  }

  @Test("Without the trait, a check inside of a known issue is known, and one behind it throws")
  func knownVerification() {
    let stubs = StubTransport(.text("1", for: "/a").optional())
    withKnownIssue {
      _ = try? stubs.text("/x")
      try stubs.verify()
    }
    let later = StubTransport(.text("1", for: "/a").optional())
    withKnownIssue { try later.text("/x") }
    #expect(throws: StubError.self) { try later.verify() }
  }

  @Test("A swallowed mismatch inside of a known issue is known, too", .stubs)
  func swallowedKnown() {
    withKnownIssue {
      _ = try? StubTransport(.text("1", for: "/a")).text("/x")
    }
  }

  @Test("A failed check inside of a known issue does not fail the test again", .stubs)
  func knownCheck() {
    withKnownIssue {
      try StubTransport(
        StubAPIResponse(request: .get("/a")).thenVerifyRequest { _ in throw TestFailure() }
      ).text("/a")
    }
  }

  /// The paths of the mismatches of a test, by the way in which they are reported.
  ///
  /// - Parameter isKnown: Whether a mismatch of this path is a known one.
  private func reports(
    of body: (StubTransport) async throws -> Void, isKnown: @escaping @Sendable (Int) -> Bool
  ) async throws -> (atOnce: [String], late: [String], atEnd: [String]) {
    let (atOnce, late, atEnd) = (ValueList<String>(), ValueList<String>(), ValueList<String>())
    let kept = ValueList<StubTransport>()
    @Sendable func path(_ failure: StubFailure) -> String {
      failure.description.split(separator: "\n").first?.components(separatedBy: "v1").last ?? ""
    }
    try await StubTransport.verifyingAll {
      let stubs = StubTransport(.text("1", for: "/a").optional())
      kept.add(stubs)
      try await body(stubs)
    } atOnce: { failure in
      atOnce.add(path(failure))
      return !isKnown(atOnce.all.count)
    } late: {
      late.add(path($0))
    } report: {
      atEnd.add(path($0))
    }
    await Task.detached { _ = try? kept.all.first?.text("/late") }.value
    return (atOnce.all, late.all, atEnd.all)
  }

  @Test("A mismatch that the test swallows is told when it happens, once, and others at the end")
  func swallowed() async throws {
    let reports = try await reports { stubs in
      for path in ["/x", "/y", "/x"] { _ = try? stubs.text(path) }
      await Task.detached {
        for path in ["/z", "/z"] { _ = try? stubs.text(path) }
      }.value
    } isKnown: { _ in
      false
    }
    #expect(reports.atOnce == ["/x.", "/y."])
    #expect(reports.atEnd == ["/z."])
    #expect(reports.late == ["/late."])
  }

  @Test("A mismatch that was known is told again where it is not, and then no more")
  func knownAndNot() async throws {
    let reports = try await reports { stubs in
      for _ in 1...4 { _ = try? stubs.text("/x") }
    } isKnown: {
      $0 == 1
    }
    #expect(reports.atOnce == ["/x.", "/x."])
    #expect(reports.atEnd.isEmpty)
  }

  @Test("A mismatch that a detached task swallows is an issue of the test")
  func detached() async throws {
    let issues = try await issues {
      let stubs = StubTransport(.text("1", for: "/a"))
      await Task.detached { _ = try? stubs.text("/x") }.value
    }
    #expect(issues == ["No stub for GET \(base)/x."])
  }

  @Test("A mismatch after the end of its test is an issue")
  func late() async throws {
    let issues = try await issues { test in
      let kept = ValueList<StubTransport>()
      try await StubsTrait.stubs.provideScope(for: test, testCase: nil) {
        kept.add(StubTransport())
      }
      _ = try? kept.all.first?.text("/x")
    }
    #expect(issues == ["No stub for GET \(base)/x."])
  }

  @Test("Each test tells the mismatch that happens in it to a transport that they share")
  func shared() async throws {
    let kept = ValueList<StubTransport>()
    var issues: [[String]] = []
    for path in ["/x", "/y", "/x"] {
      issues.append(
        try await self.issues {
          if kept.all.isEmpty { kept.add(StubTransport()) }
          _ = try? kept.all.first?.text(path)
        })
    }
    #expect(issues == ["/x", "/y", "/x"].map { ["No stub for GET \(base)\($0)."] })
  }

  @Test("Two tests at the same time tell their own mismatches of a transport that they share")
  func sharedAtOnce() {
    var outer: [StubFailure] = []
    var inner: [StubFailure] = []
    StubTransport.verifyingAll {
      let stubs = StubTransport()
      StubTransport.verifyingAll {
        _ = try? stubs.text("/inner")
        #expect(throws: StubError.self) { try stubs.verify() }
        _ = try? stubs.text("/later")
      } report: {
        inner.append($0)
      }
      _ = try? stubs.text("/outer")
    } report: {
      outer.append($0)
    }
    #expect(inner.count == 1 && inner.first?.description.contains("/later") == true)
    #expect(outer.count == 1 && outer.first?.description.contains("/outer") == true)
  }

  @Test("An error of another test's mismatch ends a test as any error does")
  func othersError() async throws {
    let error = ValueList<StubError>()
    _ = try await issues {
      do { try StubTransport().text("/x") } catch let mismatch as StubError { error.add(mismatch) }
    }
    let issues = try await issues { throw try #require(error.all.first) }
    #expect(issues.count == 1)
    #expect(issues.first?.hasPrefix("No stub for GET \(base)/x. See the report at ") == true)
  }
}

/// Values in the order in which threads add them.
private final class ValueList<Value: Sendable>: Sendable {
  private let values = Lock<[Value]>([])

  var all: [Value] { values.withLock { $0 } }

  func add(_ value: Value) {
    values.withLock { $0.append(value) }
  }
}
