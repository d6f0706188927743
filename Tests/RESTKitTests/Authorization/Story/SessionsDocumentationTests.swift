import Foundation
import Testing

@Suite("Docs/Sessions.md shows what sessions record of themselves", .leakFree)
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

  @Test("The sequence picture is the one that the calls' own logs give")
  func picture() throws {
    let picture = RefreshStory().run().mermaid
    #expect(try Self.block("picture: refresh") == picture, "It has to be:\n\(picture)")
  }
}
