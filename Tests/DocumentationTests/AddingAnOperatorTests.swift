import Testing

@Suite("Docs/AddingAnOperator.md names existing code")
struct AddingAnOperatorTests {
  @Test("Each source file and type that the guide names exists in Streams")
  func sources() throws {
    let files = try Repository.files(in: "Sources/Streams", endingIn: ".swift")
    let text = try Repository.text(of: "Docs/AddingAnOperator.md")
    for name in text.matches(of: /`(\w+\.swift)`/) {
      #expect(files.contains { $0.hasSuffix("/\(name.1)") }, "\(name.1)")
    }
    let types = try files.flatMap { file in
      try Repository.text(of: file).matches(of: /(?:struct|class|protocol|enum) (\w+)/).map(\.1)
    }
    let prose = text.replacing(/```(?s).*?```/, with: "")
    for name in prose.matches(of: /`(?:Publishers\.)?([A-Z]\w+)`/) {
      #expect(types.contains(name.1), "\(name.1)")
    }
  }
}
