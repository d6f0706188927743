import StreamsFixtures
import Testing

@Suite("Docs/Streams.md names the whole vocabulary", .leakFree)
struct VocabularyTests {
  private static let parts = [
    "Concurrency", "Core", "Machines", "Operators", "Publishers",
    "Schedulers", "Sharing", "Subjects", "Subscribers", "Timing",
  ]

  /// Folders of mechanisms, without a public name.
  private static let mechanisms = [
    "Basics", "FanIn", "Hop", "Locking", "Relay", "Retrying", "Subscriptions",
  ]

  @Test("Each operator and each public type is named", arguments: parts)
  func names(folder: String) throws {
    let words = try self.words()
    var missing: [String] = []
    for file in try StreamsSources.files(in: "Sources/Streams/\(folder)") {
      let source = try StreamsSources.text(of: file)
      let names = DocumentedMethod.all(in: source).map(\.name) + publicTypes(in: source)
      missing += names.filter { !words.contains($0) }.map { "\($0), \(file)" }
    }
    #expect(missing.isEmpty, "not in Docs/Streams.md: \(missing.joined(separator: "; "))")
  }

  @Test("The test covers every library folder that has a public name")
  func folders() throws {
    #expect(
      try StreamsSources.folders(in: "Sources/Streams") == (Self.parts + Self.mechanisms).sorted())
    for folder in Self.mechanisms {
      for file in try StreamsSources.files(in: "Sources/Streams/\(folder)") {
        #expect(try !StreamsSources.text(of: file).contains("public "), "\(file)")
      }
    }
    #expect(
      try publicTypes(in: StreamsSources.text(of: "Sources/Streams/Core/Demand.swift"))
        == ["Subscribers"])
  }

  /// The identifiers that stand in code font.
  private func words() throws -> Set<String> {
    let text = try StreamsSources.text(of: "Docs/Streams.md")
    var words: Set<String> = []
    for code in text.matches(of: #/`([^`\n]+)`/#) {
      for word in code.1.matches(of: #/[A-Za-z][A-Za-z0-9]*/#) { words.insert(String(word.0)) }
    }
    return words
  }

  private func publicTypes(in source: String) -> [String] {
    source.split(separator: "\n").compactMap { line in
      line.prefixMatch(of: #/public (?:struct|final class|protocol|enum|actor) ([A-Za-z0-9]+)/#)
        .map { String($0.1) }
    }
  }
}
