import Foundation
import Streams
import StreamsTesting
import Testing

@Suite("Docs/Marbles.md shows what the tests compile and run", .leakFree)
struct MarblesGuideTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  /// The fenced blocks of the guide, by the comment before each.
  private static func blocks() throws -> [String: String] {
    let guide = folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Docs/Marbles.md")
    let text = try String(contentsOf: guide, encoding: .utf8)
    let pairs = text.matches(of: #/<!-- (.+) -->\n```(?:swift)?\n((?s:.*?))\n```\n/#).map {
      (String($0.1), String($0.2))
    }
    #expect(text.matches(of: #/(?m)^```swift$/#).count == pairs.count { $0.0.hasPrefix("snippet") })
    return Dictionary(pairs) { _, _ in "twice" }
  }

  /// The regions of the examples, by name, without their indentation.
  private static func regions() throws -> [String: String] {
    let text = try String(
      contentsOf: folder.appending(path: "MarblesGuideExamples.swift"), encoding: .utf8)
    let pairs = text.matches(of: #/ {4}// (snippet: .+)\n((?s:.*?))\n {4}// end\n/#).map {
      let lines = $0.2.split(separator: "\n", omittingEmptySubsequences: false)
      return (String($0.1), lines.map { $0.dropFirst(4) }.joined(separator: "\n"))
    }
    return Dictionary(pairs) { _, _ in "twice" }
  }

  @Test("Each Swift block is a region of MarblesGuideExamples.swift")
  func snippets() throws {
    let blocks = try Self.blocks().filter { $0.key.hasPrefix("snippet: ") }
    let regions = try Self.regions()
    #expect(blocks.count == 9)
    #expect(blocks.keys.sorted() == regions.keys.sorted())
    for (name, block) in blocks { #expect(regions[name] == block, "\(name)") }
  }

  @Test("The text of a MarbleError is the one the library gives")
  func errorText() throws {
    let error = #expect(throws: MarbleError.self) { try MarbleDiagram("--(1") }
    #expect(try Self.blocks()["output: error"] == error?.description)
  }

  @Test("The text of a MarbleMismatch is the one the library gives")
  func mismatchText() throws {
    let marbles = Marbles()
    let source = try marbles.publisher(
      "-1-(23)#", values: Int.init, failure: MarblesGuideExamples.Outage())
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(
        source.map { $0 * 10 }, toBe: "-a-b-c--|", values: ["a": 10, "b": 20, "c": 30])
    }
    #expect(try Self.blocks()["output: mismatch"] == error?.description)
  }
}
