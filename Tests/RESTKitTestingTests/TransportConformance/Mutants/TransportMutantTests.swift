import RESTKit
import Testing

@testable import RESTKitTesting

@Suite("The conformance kit for transports and its mutants", .timeLimit(.minutes(10)))
struct TransportMutantTests {
  private static var all: [TransportMutant] {
    TransportMutant.ofRequests + TransportMutant.ofUploads + TransportMutant.ofResponses
      + TransportMutant.ofLimits + TransportMutant.ofFaults + TransportMutant.ofPieces
      + TransportMutant.ofLife + TransportMutant.ofPromptness
  }

  private static func engine(_ limits: TransportLimits) throws -> any Transport {
    #if os(Linux)
      try CurlTransport(limits: limits)
    #else
      URLSessionTransport(limits: limits)
    #endif
  }

  @Test("The kit finds each mutant by its own expectation", arguments: all)
  func found(mutant: TransportMutant) async {
    let report = await TransportConformance(mutant.name) {
      TamperedTransport(try Self.engine($0), mutant)
    }.waiting(mutant.patience).report(of: [mutant.rule])
    #expect(report.broken == [mutant.rule], "\(report)")
    #expect(report.findings.first?.expected.contains(mutant.finding) == true, "\(report)")
  }

  @Test("Each rule that has expectations of its own has mutants", arguments: TransportRule.allCases)
  func enough(rule: TransportRule) {
    let faults = TransportBreak.all.filter { $0.1 == rule }.count
    #expect(Self.all.filter { $0.rule == rule }.count + faults >= 2, "\(rule)")
  }
}
