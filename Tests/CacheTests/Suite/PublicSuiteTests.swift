import Fixtures
import Testing

/// The cases of the public suite for HTTP caches that a private cache can pass.
@Suite("The public suite for HTTP caches", .timeLimit(.minutes(10)))
struct PublicSuiteTests {
  private static let cases =
    SuiteCase.freshness + SuiteCase.storage + SuiteCase.selection + SuiteCase.fields

  /// The cases that do not pass, and why.
  private static let exceptions = [
    "cc-resp-immutable-fresh": "`use: .revalidated` always asks the server, as browsers do",
    "cc-resp-immutable-stale": "a validation adds its condition to the request, and no directive",
    "headers-store-Transfer-Encoding": "the length of a body in an unknown coding is not known",
    "method-POST": "a response to POST is never stored",
    "other-cookie": "a Cookie names a user, who gets no response of another one",
    "partial-store-partial-complete": partial,
    "partial-store-partial-reuse-partial": partial,
    "partial-store-partial-reuse-partial-absent": partial,
    "partial-store-partial-reuse-partial-byterange": partial,
    "partial-store-partial-reuse-partial-suffix": partial,
    "vary-normalise-lang-order": "the order of languages may matter to the server",
    "vary-normalise-lang-select": "a language is compared, and not negotiated",
    "vary-normalise-space": "no specification says that blanks in the field make no difference",
  ]

  private static let partial = "only complete responses are stored"

  @Test("All required and optional cases are there")
  func complete() {
    let kinds = Dictionary(grouping: Self.cases, by: \.kind)
    #expect(kinds[.required]?.count == 137)
    #expect(kinds[.optional]?.count == 77)
    #expect(Set(Self.cases.map(\.id)).count == 214)
  }

  @Test("Each case passes, except those that the list explains", arguments: SuiteRun.Place.allCases)
  func passes(place: SuiteRun.Place) async throws {
    let transport = try #require(TransportKind.allCases.first).make()
    var failed: Set<String> = []
    for test in Self.cases {
      guard let fault = try await SuiteRun(test, in: place, over: transport).fault() else {
        continue
      }
      failed.insert(test.id)
      if Self.exceptions[test.id] == nil { Issue.record("\(test.kind) \(test.id), \(fault)") }
    }
    for id in Self.exceptions.keys where !failed.contains(id) {
      Issue.record("\(id) passes: remove it from the list")
    }
    for kind in SuiteCase.Kind.allCases {
      let all = Self.cases.filter { $0.kind == kind }
      let passed = all.filter { !failed.contains($0.id) }
      print("public suite, \(place): \(passed.count) of \(all.count) \(kind) cases pass")
    }
  }
}
