import StreamsTesting
import Testing

@Suite("Docs/Conformance.md lists the current rules")
struct ConformanceTests {
  @Test("The guide names each rule with its numbers", arguments: ConformanceRule.allCases)
  func rules(rule: ConformanceRule) throws {
    let line = "| `\(rule.rawValue)` | \(rule.ids.joined(separator: ", ")) | \(rule.sentence) |"
    #expect(try Repository.text(of: "Docs/Conformance.md").contains(line), "\(line)")
    #expect(!rule.remedy.isEmpty)
  }
}
