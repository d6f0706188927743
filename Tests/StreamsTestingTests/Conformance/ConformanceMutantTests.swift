import Foundation
import Streams
import StreamsTesting
import Testing

// Mutants that leak do so on the kit's own threads, which are not counted.
@Suite("The conformance kit and its mutants", .leakFree, .timeLimit(.minutes(10)))
struct ConformanceMutantTests {
  @Test("The kit finds each mutant by the rules that it breaks", arguments: ConformanceMutant.all)
  func caught(mutant: ConformanceMutant) async {
    let report = await mutant.report()
    let found = report.findings.map { "\($0.provocation): \($0.rule.rawValue)" }
    let missed = ConformanceFindings.of(mutant).subtracting(found)
    #expect(missed.isEmpty, "\(mutant.name), also by others: \(missed.sorted())")
    for rule in mutant.rules {
      #expect(report.broken.contains(rule), "\(mutant.name), \(rule.rawValue): \(report)")
      #expect(!report.kept.contains(rule))
    }
  }

  @Test("Each rule is broken by three mutants at least", arguments: ConformanceRule.allCases)
  func enough(rule: ConformanceRule) {
    let mutants = ConformanceMutant.all.filter { $0.rules.contains(rule) }
    #expect(mutants.count >= 3, "\(rule.rawValue): \(mutants.map(\.name))")
  }

  @Test("It is known by which provocation the kit finds a mutant", arguments: ConformanceMutant.all)
  func known(mutant: ConformanceMutant) {
    #expect(!ConformanceFindings.of(mutant).isEmpty, "\(mutant.name)")
  }

  @Test("No two mutants are the same")
  func names() {
    let all = ConformanceMutant.all
    #expect(Set(all.map(\.name)).count == all.count)
  }

  @Test("Docs/Conformance.md has the table of what is caught", arguments: ConformanceRule.allCases)
  func table(rule: ConformanceRule) throws {
    let guide = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "../../../Docs/Conformance.md")
    let lines = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n").map(
      String.init)
    #expect(lines.contains(ConformanceMutant.line(rule)), "\(ConformanceMutant.line(rule))")
  }

  @Test("What the mutants are made of is correct without a fault")
  func sound() async throws {
    try await PublisherConformance { Tampered($0.values.publisher) }.check()
    try await OperatorConformance { upstream, _ in
      // The stage reports what comes after the end, so it must get it.
      Tampered(upstream, Tampering(end: { $0.end($1, isForgotten: false) })).broken(.none)
    }.check()
    try await OperatorConformance(traits: ConformanceTraits(memory: .none)) { upstream, _ in
      Tampered(upstream)
    }.check()
    try await HopConformance { Tampered($0.receive(on: $1)) }.check()
    try await SubjectConformance { TamperedSubject() }.check()
  }
}
