import Foundation
import Testing

@Suite("Docs/AddingAnOperator.md shows what the tests compile and run", .leakFree)
struct AddingAnOperatorTests {
  private static let guide = "Docs/AddingAnOperator.md"
  private static let examples =
    "Tests/StreamsTestingTests/AddingAnOperatorExamples.swift"

  @Test("Each Swift block is the region of its name")
  func snippets() throws {
    let blocks = try Self.matches(
      of: /<!-- snippet: (\w+) -->\n```swift\n((?s).*?)\n```/, in: Self.guide)
    let regions = try Self.matches(
      of: /\/\/ snippet: (\w+)\n((?s).*?)\n *\/\/ end/, in: Self.examples)
    #expect(blocks.count == 4)
    #expect(blocks == regions.mapValues(Self.unindented))
  }

  @Test("No Swift block is without a name")
  func names() throws {
    let text = try StreamsSources.text(of: Self.guide)
    #expect(text.matches(of: /```swift/).count == text.matches(of: /-->\n```swift/).count)
  }

  @Test("What it names is there: each source, and each type in the sources of Streams")
  func sources() throws {
    let files = try StreamsSources.tree(of: "Sources/Streams")
    let text = try StreamsSources.text(of: Self.guide)
    for name in text.matches(of: /`(\w+\.swift)`/) {
      #expect(files.contains { $0.hasSuffix("/\(name.1)") }, "\(name.1)")
    }
    let sources = try files.map { try StreamsSources.text(of: $0) }.joined()
    let prose = text.replacing(/```(?s).*?```/, with: "")
    for name in prose.matches(of: /`(?:Publishers\.)?([A-Z]\w+)`/)
    where name.1 != "AddingAnOperatorTests" {
      #expect(
        sources.contains(try Regex("(struct|class|protocol|enum) \(name.1)\\b")), "\(name.1)")
    }
  }

  private static func matches(
    of pattern: Regex<(Substring, Substring, Substring)>, in path: String
  ) throws -> [String: String] {
    let text = try StreamsSources.text(of: path)
    return Dictionary(
      uniqueKeysWithValues: text.matches(of: pattern).map { (String($0.1), String($0.2)) })
  }

  /// A region as it would stand at the left edge.
  private static func unindented(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let indent = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(indent) }.joined(separator: "\n")
  }
}
