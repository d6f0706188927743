import Testing

@Suite("Faults in a guide's snippets are found")
struct SnippetSourcesTests {
  private static let file = "Tests/DocumentationTests/Snippets/Cats/Cats.swift"
  private static let source =
    "struct Cats {\n  // snippet: meow\n  func meow() {\n    purr()\n  }\n  // end\n}\n"

  private func problems(of lines: String..., sources: [String: String]? = nil) throws -> [String] {
    let guide = try Guide(path: "Docs/Cats.md", text: lines.joined(separator: "\n"))
    let sources = try SnippetSources(sources ?? [Self.file: Self.source])
    return sources.problems(of: guide)
  }

  private let meow = [
    "<!-- snippet: meow -->", "```swift", "func meow() {", "  purr()", "}", "```",
  ]
  .joined(separator: "\n")

  @Test("A block that equals its region, without the indentation, is correct")
  func equal() throws {
    #expect(try problems(of: "# Cats", "", meow, "") == [])
  }

  @Test("An outdated block is reported with its line and the current code")
  func drift() throws {
    let text = meow.replacing("purr", with: "hiss")
    #expect(
      try problems(of: "# Cats", text) == [
        """
        Docs/Cats.md, line 3: it is not the region meow of \(Self.file), which is:
        func meow() {
          purr()
        }
        """
      ])
  }

  @Test("A block needs a mark of a known kind on the line before it")
  func unmarked() throws {
    let problem = "a Swift block without a mark"
    #expect(try problems(of: meow, "```swift", "```") == ["Docs/Cats.md, line 7: \(problem)"])
    #expect(
      try problems(of: meow, "<!-- newcomer: A.swift -->", "", "```swift", "```")
        == ["Docs/Cats.md, line 9: \(problem)"])
    #expect(
      try problems(of: meow, "<!-- not compiled: -->", "```swift", "```")
        == ["Docs/Cats.md, line 8: \(problem)"])
    #expect(
      try problems(of: meow, "<!-- not compiled: UIKit -->", "```swift", "a", "```", "```sh", "```")
        == [])
    #expect(try problems(of: meow, "- a", "  ```swift", "  ```").count == 1)
  }

  @Test("A region that its guide does not show and a name without a region are reported")
  func orphans() throws {
    #expect(
      try problems(of: meow.replacing("meow", with: "hiss")) == [
        "Docs/Cats.md, line 2: there is no region hiss in Tests/DocumentationTests/Snippets/Cats/",
        "\(Self.file): Docs/Cats.md does not show meow",
      ])
    let elsewhere = "Tests/DocumentationTests/Snippets/Catsup/Cats.swift"
    #expect(try problems(of: "", sources: [elsewhere: Self.source]) == [])
    let guides = [try Guide(path: "Docs/Cats.md", text: meow)]
    #expect(
      try SnippetSources([elsewhere: Self.source]).strays(of: guides)
        == ["\(elsewhere): no guide shows meow"])
    let marked = try Guide(path: "Docs/A.md", text: meow.replacing(" -->", with: " in A.swift -->"))
    #expect(try SnippetSources(["A.swift": Self.source]).strays(of: [marked]) == [])
    #expect(try SnippetSources(["A.swift": Self.source]).problems(of: marked) == [])
  }

  @Test("Names are unique within a guide")
  func duplicates() throws {
    let second = Self.file.replacing("Cats.swift", with: "More.swift")
    #expect(
      try problems(of: meow, sources: [Self.file: Self.source, second: Self.source])
        == ["Docs/Cats.md, line 2: several regions meow: \(Self.file), \(second)"])
    #expect(
      try problems(of: meow, meow) == ["Docs/Cats.md, line 8: the snippet meow is shown twice"])
  }

  @Test("A whole file is compared to its last line")
  func files() throws {
    let text = ["<!-- file: A.swift -->", "```swift", "let a = 1", "```"].joined(separator: "\n")
    #expect(try problems(of: text, sources: ["A.swift": "let a = 1\n"]) == [])
    #expect(
      try problems(of: text, sources: ["A.swift": "let a = 1\nlet b = 2\n"])
        == ["Docs/Cats.md, line 2: it is not what stands in A.swift"])
    #expect(
      try problems(of: text, sources: [:]) == ["Docs/Cats.md, line 2: there is no A.swift"])
  }

  @Test("A region or a block without an end is an error")
  func ends() {
    for text in ["// snippet: a\n", "// snippet: a\n// snippet: b\n// end\n"] {
      #expect(throws: GuideError.self) { try SnippetSources(["A.swift": text]) }
    }
    #expect(throws: GuideError.self) { try Guide(path: "Docs/A.md", text: "```swift\nlet a = 1") }
  }

  @Test("A guide is named after its file, and a README after its folder")
  func names() throws {
    for (path, name) in [
      "README.md": "Readme", "Docs/Cats.md": "Cats", "Examples/README.md": "Examples",
      "Integrations/Cats/README.md": "Cats", "Sources/Cats/Cats.docc/Cats.md": "Cats.docc/Cats",
    ] {
      #expect(try Guide(path: path, text: "").name == name)
    }
  }
}
