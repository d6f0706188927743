#if os(Linux)
  import Foundation
  import Testing

  extension IntegrationTests.Nginx {
    @Suite("The outcome of the same event on each transport")
    struct Outcomes {
      private struct Row {
        let name: String
        let curl: String
        let urlSession: String
        let reason: String?

        var isSame: Bool { curl == urlSession }

        var line: String {
          let other = isSame ? "the same" : urlSession
          return "| \(name) | \(curl) | \(other) | \(reason ?? "") |"
        }
      }

      @Test("every difference has a reason, and Docs/Transports.md lists all differences")
      func table() async throws {
        var rows: [Row] = []
        for item in OutcomeCase.all {
          let row = Row(
            name: item.name, curl: try await item.outcome(through: .curl),
            urlSession: try await item.outcome(through: .urlSession), reason: item.reason)
          rows.append(row)
          #expect(row.isSame == (item.reason == nil), "\(row.line)")
        }
        let table =
          [
            "| what happens | `CurlTransport` | `URLSessionTransport` | why they differ |",
            "| --- | --- | --- | --- |",
          ] + rows.map(\.line)
        let text = table.joined(separator: "\n")
        // Set it to a file's path to have the table of this machine.
        if let path = ProcessInfo.processInfo.environment["RESTKIT_WRITE_OUTCOMES"] {
          try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        for (written, found) in zip(try documented(), table) where written != found {
          Issue.record("Docs/Transports.md has\n\(written)\nand not\n\(found)")
        }
        #expect(try documented().count == table.count)
      }

      /// The lines between the two comments that enclose the table.
      private func documented() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath)
          .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
          .deletingLastPathComponent()
        let lines = try String(
          contentsOf: root.appending(path: "Docs/Transports.md"), encoding: .utf8
        )
        .components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "<!-- outcomes -->"))
        let end = try #require(lines.firstIndex(of: "<!-- end of outcomes -->"))
        return Array(lines[(start + 1)..<end])
      }
    }
  }
#endif
