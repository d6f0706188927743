import Testing

@Suite("The guides show compiled code that runs")
struct SnippetTests {
  @Test(
    "Each Swift block equals the code that its mark names, and each snippet is shown",
    arguments: try Guide.all())
  func blocks(guide: Guide) throws {
    for problem in try SnippetSources.repository.get().problems(of: guide) {
      Issue.record("\(problem)")
    }
  }

  @Test("Every region is shown, and no two guides have the same name")
  func strays() throws {
    let guides = try Guide.all()
    #expect(try SnippetSources.repository.get().strays(of: guides) == [])
    #expect(Set(guides.map(\.name)).count == guides.count)
  }

  @Test("The guide's tests compare each output", arguments: try Guide.all())
  func outputs(guide: Guide) throws {
    #expect(Set(guide.outputs).count == guide.outputs.count, "An output of the same name")
    for name in guide.outputs {
      #expect(try Repository.text(of: guide.tests).contains(#"output("\#(name)")"#), "\(name)")
    }
  }
}
