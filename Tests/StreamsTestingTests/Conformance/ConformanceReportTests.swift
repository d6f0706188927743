import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("What the conformance kit reports", .leakFree)
struct ConformanceReportTests {
  @Test("An error names the rule, what was done, expected and seen, and the remedy")
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

  @Test("A rule that is left out is neither broken nor kept, and the report says why")
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

  @Test("A rule of hops or of subjects is left out in the same way")
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

  @Test("A rule that could not be put to the test is not called kept")
  func untested() async throws {
    let report = try await PublisherConformance { _ in Empty<Int, Never>() }.check()
    #expect(!report.kept.contains(.demand))
    #expect(report.kept.contains(.endNeedsNoDemand))
  }

  @Test("What hangs is given up and reported, and the rest is left out")
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

  @Test("Each rule has a number of the contract, a sentence and a remedy of its own")
  func rules() {
    let rules = ConformanceRule.allCases
    #expect(rules.allSatisfy { $0.ids.first?.hasPrefix("C-") == true })
    #expect(Set(rules.map(\.sentence)).count == rules.count)
    #expect(rules.allSatisfy { $0.sentence.hasSuffix(".") && $0.remedy.hasSuffix(".") })
  }
}
