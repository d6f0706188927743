import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("The conformance kit for transports and its mutants", .timeLimit(.minutes(10)))
struct TransportMutantTests {
  @Test("The kit finds each wrong transport by the rules that it breaks", arguments: mutants)
  func caught(mutant: TransportMutant) async {
    let rules = mutant.rules.filter(TransportMutant.provable.contains)
    // Only a hang may take the whole time, so that no other fault counts as one.
    let kit = TransportConformance(mutant.name, making: mutant.make)
      .waiting(mutant.hangs ? .seconds(1) : .seconds(120))
    let report = await kit.report(of: rules)
    #expect(report.broken == rules, "\(mutant.name): \(report)")
    for finding in report.findings {
      #expect(report.description.contains("\(finding.rule.id) \(finding.rule.rawValue)"))
      #expect(!finding.seen.isEmpty)
    }
    let isHanging = report.findings.contains { $0.seen.contains("it hangs") }
    #expect(isHanging == mutant.hangs, "\(mutant.name): \(report)")
  }

  private static var mutants: [TransportMutant] { TransportMutant.all }

  @Test("Each rule is broken by three transports at least", arguments: TransportRule.allCases)
  func enough(rule: TransportRule) {
    let mutants = TransportMutant.all.filter { $0.rules.contains(rule) }
    #expect(mutants.count >= 3, "\(rule.rawValue): \(mutants.map(\.name))")
  }

  @Test("No two wrong transports are the same")
  func names() {
    let all = TransportMutant.all
    #expect(Set(all.map(\.name)).count == all.count)
  }

  @Test(
    "Docs/TransportConformance.md has the table of what is caught",
    arguments: TransportRule.allCases)
  func table(rule: TransportRule) throws {
    let guide = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "../../../Docs/TransportConformance.md")
    let lines = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n").map(
      String.init)
    #expect(lines.contains(TransportMutant.line(rule)), "\(TransportMutant.line(rule))")
  }

  @Test("What the wrong transports are made of keeps every rule")
  func sound() async {
    let report = await TransportConformance("spoiled by nothing") { limits in
      var sound = SpoiledTransport(try TransportMutant.correct(limits))
      let pieces = sound.pieces
      sound.pieces = { pieces($0, $1).spoiled(Spoiling()) }
      return sound
    }
    .waiting(.seconds(300)).report(of: TransportMutant.provable)
    #expect(report.kept == TransportMutant.provable, "\(report)")
  }
}
