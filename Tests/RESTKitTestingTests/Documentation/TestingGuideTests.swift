import Foundation
import RESTKitTesting
import Testing

@Suite("Docs/Testing.md and Docs/MigratingStubs.md show what the tests compile and run")
struct TestingGuideTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(of page: String) throws -> String {
    try String(contentsOf: root.appending(path: "Docs/\(page)"), encoding: .utf8)
  }

  /// The Swift blocks of a page, by the comment before each.
  private static func blocks(of page: String) throws -> [String: String] {
    let text = try text(of: page)
    let pairs = text.matches(of: #/<!-- snippet: (.+) -->\n```swift\n((?s:.*?))\n```\n/#).map {
      (String($0.1), String($0.2))
    }
    #expect(text.matches(of: #/(?m)^```swift$/#).count == pairs.count, "an unnamed block")
    return Dictionary(pairs) { _, _ in "twice" }
  }

  /// The regions of the examples, by name, without their indentation.
  private static func regions() throws -> [String: String] {
    let text = try String(
      contentsOf: folder.appending(path: "TestingGuideExamples.swift"), encoding: .utf8)
    let pairs = text.matches(of: #/(?m)^( *)// snippet: (.+)\n((?s:.*?))\n *// end$/#).map {
      let indentation = $0.1.count
      let lines = $0.3.split(separator: "\n", omittingEmptySubsequences: false)
      return (String($0.2), lines.map { $0.dropFirst(indentation) }.joined(separator: "\n"))
    }
    return Dictionary(pairs) { _, _ in "twice" }
  }

  @Test("Each Swift block is a region of TestingGuideExamples.swift, and each region a block")
  func snippets() throws {
    let blocks = try Self.blocks(of: "Testing.md").merging(
      Self.blocks(of: "MigratingStubs.md")
    ) { _, _ in "twice" }
    let regions = try Self.regions()
    #expect(blocks.count == 10)
    #expect(blocks.keys.sorted() == regions.keys.sorted())
    for (name, block) in blocks { #expect(regions[name] == block, "\(name)") }
  }

  @Test("The table of faults has them all")
  func faults() throws {
    let text = try Self.text(of: "Testing.md")
    for fault in StubFault.allCases { #expect(text.contains("| `.\(fault)` |"), "\(fault)") }
  }
}
