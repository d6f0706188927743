import RESTKitTesting
import Testing

@Suite("Docs/Testing.md has the faults that there are")
struct TestingTests {
  @Test("The table of faults has them all", arguments: StubFault.allCases)
  func faults(fault: StubFault) throws {
    #expect(try Repository.text(of: "Docs/Testing.md").contains("| `.\(fault)` |"))
  }

  @Test("The table of ends has them all", arguments: BodyEnd.allCases)
  func ends(end: BodyEnd) throws {
    #expect(try Repository.text(of: "Docs/Testing.md").contains("| `.\(end)` |"))
  }
}
