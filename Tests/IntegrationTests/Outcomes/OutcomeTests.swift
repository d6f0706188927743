import Foundation
import Testing

/// The table of outcomes in Docs/Transports.md.
enum OutcomeTable {
  static let head = [
    "| what happens | `CurlTransport` | `URLSessionTransport` on Linux | why they differ"
      + " | on Apple's systems, not seen |",
    "| --- | --- | --- | --- | --- |",
  ]

  /// The lines between the two comments that enclose the table.
  static func documented() throws -> [String] {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let lines = try String(contentsOf: root.appending(path: "Docs/Transports.md"), encoding: .utf8)
      .components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "<!-- outcomes -->"))
    let end = try #require(lines.firstIndex(of: "<!-- end of outcomes -->"))
    return Array(lines[(start + 1)..<end])
  }
}

#if os(Linux)
  extension IntegrationTests.Nginx {
    @Suite("The outcome of the same event on each transport")
    struct Outcomes {
      private struct Row {
        let name: String
        let curl: String
        let urlSession: String
        let reason: String?
        let apple: String

        var isSame: Bool { curl == urlSession }

        var line: String {
          let other = isSame ? "the same" : urlSession
          return "| \(name) | \(curl) | \(other) | \(reason ?? "") | \(apple) |"
        }
      }

      @Test("every difference has a reason, and Docs/Transports.md lists all differences")
      func table() async throws {
        var rows: [Row] = []
        for item in OutcomeCase.all {
          let row = Row(
            name: item.name, curl: try await item.outcome(through: .curl),
            urlSession: try await item.outcome(through: .urlSession), reason: item.reason,
            apple: item.apple.words)
          rows.append(row)
          #expect(row.isSame == (item.reason == nil), "\(row.line)")
          #expect(row.apple != row.curl, "\(item.name): \"the same\" says it")
        }
        let table = OutcomeTable.head + rows.map(\.line)
        let text = table.joined(separator: "\n")
        // Set it to a file's path to have the table of this machine.
        if let path = ProcessInfo.processInfo.environment["RESTKIT_WRITE_OUTCOMES"] {
          try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        for (written, found) in zip(try OutcomeTable.documented(), table) where written != found {
          Issue.record("Docs/Transports.md has\n\(written)\nand not\n\(found)")
        }
        #expect(try OutcomeTable.documented().count == table.count)
      }
    }
  }
#else
  @Suite("What Docs/Transports.md expects of URLSession on Apple's systems")
  struct AppleOutcomeTests {
    @Test(
      "The outcome is the one that nobody has seen yet",
      arguments: OutcomeCase.all.filter(\.needsNoPeer))
    func guess(item: OutcomeCase) async throws {
      let row = try #require(
        try OutcomeTable.documented().first { $0.hasPrefix("| \(item.name) | ") })
      let cells = row.components(separatedBy: " | ")
      let expected: String
      switch item.apple {
      case .same: expected = cells[1]
      case .other(let words): expected = words
      case .open: return
      }
      let found = try await item.outcome(through: .urlSession)
      #expect(
        found == expected,
        """
        This expectation comes from documentation and was never seen on an Apple system. If the system \
        is right, correct `apple` of "\(item.name)" in OutcomeCases.swift, and Docs/Transports.md.
        """)
    }
  }
#endif
