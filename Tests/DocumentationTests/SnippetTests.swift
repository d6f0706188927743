import Testing

@Suite("The guides show code that is compiled and run")
struct SnippetTests {
  @Test(
    "Each Swift block is the code that its mark names, and each snippet is shown",
    arguments: try Guide.all())
  func blocks(guide: Guide) throws {
    for problem in try SnippetSources.repository.get().problems(of: guide) {
      Issue.record("\(problem)")
    }
  }

  @Test("No region is left over, and no two guides have the same snippets")
  func strays() throws {
    let guides = try Guide.all()
    #expect(try SnippetSources.repository.get().strays(of: guides) == [])
    #expect(Set(guides.map(\.name)).count == guides.count)
  }

  @Test("Each output is compared by the guide's tests", arguments: try Guide.all())
  func outputs(guide: Guide) throws {
    #expect(Set(guide.outputs).count == guide.outputs.count, "An output of the same name")
    for name in guide.outputs {
      #expect(try Repository.text(of: guide.tests).contains(#"output("\#(name)")"#), "\(name)")
    }
  }
}
