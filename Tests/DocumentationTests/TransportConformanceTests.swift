import RESTKitTesting
import Testing

@Suite("Docs/TransportConformance.md lists the current rules")
struct TransportConformanceTests {
  @Test("The guide names each rule with its number", arguments: TransportRule.allCases)
  func rules(rule: TransportRule) throws {
    let line = "| \(rule.id) | `\(rule.rawValue)` | \(rule.sentence) |"
    #expect(try Repository.text(of: "Docs/TransportConformance.md").contains(line), "\(line)")
  }
}
