import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("Reports of the conformance kit", .leakFree)
struct ConformanceReportTests {
  @Test("An error names the rule, the action, the expected and the actual result, and the remedy")
  func text() async throws {
    let error = await #expect(throws: ConformanceFailure.self) {
      try await PublisherConformance("greedy") {
        BrokenSource(count: $0.count, fault: .servesNone)
      }.check()
    }
    let text = try #require(error).description
    #expect(text.hasPrefix("greedy: "))
    for part in [
      "C-3, RS 3.9: A request for none does nothing.",
      "when:     1, 1, 2, none and then the rest are requested",
      "expected: no value after a request for none", "seen:     1 values",
      "remedy:   Return at once if the demand is none.",
    ] {
      #expect(text.contains(part), "\(text)")
    }
  }

  @Test("A skipped rule is neither broken nor kept, and the report says why")
  func skipped() async throws {
    let report = try await PublisherConformance("silent") {
      BrokenSource(count: $0.count, fault: .silent)
    }
    .skipping(.progress, because: "it never says a word").check()
    #expect(report.isConforming)
    #expect(!report.kept.contains(.progress))
    #expect(report.skipped == [.progress: "it never says a word"])
    #expect("\(report)".contains("left out C-2, RS 1.5 (progress): it never says a word"))
  }

  @Test("A rule of hops or subjects is skipped in the same way")
  func skippedElsewhere() async throws {
    let hop = try await HopConformance { upstream, _ in upstream.map { $0 } }
      .skipping(.hopOrder, because: "it delivers where the upstream does").check()
    #expect(hop.skipped == [.hopOrder: "it delivers where the upstream does"])
    #expect(!hop.kept.contains(.hopOrder))
    let subject = try await SubjectConformance { PassthroughSubject<Int, ConformanceError>() }
      .skipping(.oneOrder, .serial, because: "one thread sends").check()
    #expect(subject.skipped == [.oneOrder: "one thread sends", .serial: "one thread sends"])
    #expect(!subject.kept.contains(.oneOrder))
  }

  @Test("A rule that could not be checked does not count as kept")
  func untested() async throws {
    let report = try await PublisherConformance { _ in Empty<Int, Never>() }.check()
    #expect(!report.kept.contains(.demand))
    #expect(report.kept.contains(.endNeedsNoDemand))
  }

  @Test("A hanging check is abandoned and reported, and the remaining ones are skipped")
  func hanging() async {
    let report = await PublisherConformance(
      "stuck", traits: ConformanceTraits(patience: .milliseconds(100))
    ) { _ in
      Deferred {
        DispatchSemaphore(value: 0).wait()
        return Just(1)
      }
    }.report()
    #expect(report.broken == [.noLockHeld])
    #expect(report.findings.count == 1)
  }

  @Test("Each rule has a number of the contract, its own sentence and its own remedy")
  func rules() {
    let rules = ConformanceRule.allCases
    #expect(rules.allSatisfy { $0.ids.first?.hasPrefix("C-") == true })
    #expect(Set(rules.map(\.sentence)).count == rules.count)
    #expect(rules.allSatisfy { $0.sentence.hasSuffix(".") && $0.remedy.hasSuffix(".") })
  }
}
