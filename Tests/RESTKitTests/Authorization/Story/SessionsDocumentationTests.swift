import Foundation
import RESTKit
import Testing

@Suite("Docs/Sessions.md shows what the tests compile, run and record", .leakFree)
struct SessionsDocumentationTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The fenced block that follows a comment such as `<!-- snippet: begin -->`.
  private static func block(_ name: String) throws -> String {
    let text = try text(of: "Docs/Sessions.md")
    let mark = try #require(text.range(of: "<!-- \(name) -->\n```")).upperBound
    let begin = try #require(text.range(of: "\n", range: mark..<text.endIndex)).upperBound
    let end = try #require(text.range(of: "\n```\n", range: begin..<text.endIndex)).lowerBound
    return String(text[begin..<end])
  }

  @Test("Each Swift block is a region of SessionsExamples.swift", arguments: ["begin", "grant"])
  func snippet(name: String) throws {
    let file = "Tests/RESTKitTests/Authorization/Story/SessionsExamples.swift"
    let text = try Self.text(of: file)
    let begin = try #require(text.range(of: "// snippet: \(name)\n")).upperBound
    let end = try #require(text.range(of: "\n// end", range: begin..<text.endIndex)).lowerBound
    #expect(try Self.block("snippet: \(name)") == String(text[begin..<end]))
  }

  @Test("The table of defaults has the defaults")
  func defaults() throws {
    let text = try Self.text(of: "Docs/Sessions.md")
    let options = TokenSessionOptions()
    for (name, value) in [
      ("leeway", options.leeway), ("refreshTimeout", options.refreshTimeout),
      ("cooldown", options.cooldown), ("maximumCooldown", options.maximumCooldown),
      ("refusalWindow", options.refusalWindow),
    ] {
      #expect(text.contains("| `\(name)` | \(Int(value / .seconds(1))) s |"), "\(name)")
    }
    #expect(text.contains("| `refusalLimit` | \(options.refusalLimit) |"))
  }
}
