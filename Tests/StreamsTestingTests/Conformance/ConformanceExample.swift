import Foundation
import Streams
import StreamsTesting
import Testing

// What Docs/Conformance.md shows: each block is a region of this file, so one that drifts fails.

// snippet: operator
extension Publisher {
  /// Passes on the first of every two values.
  func everyOther(
    where isWanted: @escaping @Sendable (Output) -> Bool = { _ in true }
  ) -> AnyPublisher<Output, Failure> {
    scan((count: 0, latest: Output?.none)) { last, new in (last.count + 1, .some(new)) }
      .compactMap { $0.count.isMultiple(of: 2) ? nil : $0.latest }
      .filter(isWanted)
      .eraseToAnyPublisher()
  }
}
// end

@Suite("The example of Docs/Conformance.md", .leakFree)
struct ConformanceExampleTests {
  // snippet: test
  @Test("everyOther keeps the contract")
  func everyOther() async throws {
    try await OperatorConformance("everyOther") { upstream, rig in
      upstream.everyOther { _ in
        rig.touch()
        return true
      }
    }.check()
  }

  @Test("A publisher and a subject of our own keep the contract")
  func sources() async throws {
    try await PublisherConformance { rig in Deferred { rig.values.publisher } }.check()
    try await SubjectConformance { PassthroughSubject<Int, ConformanceError>() }.check()
    try await HopConformance { $0.receive(on: $1) }.check()
  }
  // end

  @Test("Docs/Conformance.md shows this file", arguments: ["operator", "test"])
  func snippet(name: String) throws {
    let source = try Self.text(of: "Tests/StreamsTestingTests/Conformance/ConformanceExample.swift")
    let region = try #require(Self.part(of: source, from: "// snippet: \(name)\n", to: "// end"))
    let docs = try Self.text(of: "Docs/Conformance.md")
    let block = try #require(
      Self.part(of: docs, from: "<!-- snippet: \(name) -->\n```swift\n", to: "```"))
    #expect(Self.unindented(block) == Self.unindented(region))
  }

  @Test("Docs/Conformance.md names each rule with its numbers", arguments: ConformanceRule.allCases)
  func rules(rule: ConformanceRule) throws {
    let line = "| `\(rule.rawValue)` | \(rule.ids.joined(separator: ", ")) | \(rule.sentence) |"
    #expect(try Self.text(of: "Docs/Conformance.md").contains(line), "\(line)")
    #expect(!rule.remedy.isEmpty)
  }

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func part(of text: String, from start: String, to end: String) -> Substring? {
    guard let start = text.range(of: start)?.upperBound,
      let end = text.range(of: end, range: start..<text.endIndex)?.lowerBound
    else { return nil }
    return text[start..<end]
  }

  private static func unindented(_ text: Substring) -> [Substring] {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
  }
}
