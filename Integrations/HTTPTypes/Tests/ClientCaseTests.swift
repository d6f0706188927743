import Foundation
import RESTKit
import RESTKitAsyncHTTPClient
import Testing

@Suite("Expected behavior of an HTTP client, checked over each transport", .timeLimit(.minutes(5)))
struct ClientCaseTests {
  #if os(Linux)
    private struct Row {
      let name: String
      let outcomes: [String]

      var line: String {
        let others = outcomes.dropFirst().map { $0 == outcomes[0] ? "the same" : $0 }
        return "| \(([name, outcomes[0]] + others).joined(separator: " | ")) |"
      }
    }

    @Test("The README has the current table of results")
    func table() async throws {
      let transports: [(name: String, make: () throws -> any Transport)] = [
        ("CurlTransport", { try CurlTransport() }),
        ("AsyncHTTPClientTransport", { AsyncHTTPClientTransport() }),
        ("URLSessionTransport", { URLSessionTransport() }),
      ]
      let names = transports.map { "`\($0.name)`" }.joined(separator: " | ")
      var table = ["| case | \(names) |", "| --- | --- | --- | --- |"]
      for item in ClientCase.all {
        var outcomes: [String] = []
        for transport in transports {
          // Foundation on Linux ends the process with a trailer.
          let isFatal = transport.name == "URLSessionTransport" && item.name.contains("trailer")
          outcomes.append(
            isFatal ? "the process ends" : try await item.outcome(over: transport.make()))
        }
        table.append(Row(name: item.name, outcomes: outcomes).line)
      }
      // Set it to a file's path to have the table of this machine.
      if let path = ProcessInfo.processInfo.environment["RESTKIT_WRITE_CASES"] {
        try table.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
      }
      let written = try documented()
      for (old, new) in zip(written, table) where old != new {
        Issue.record("The README has\n\(old)\nand not\n\(new)")
      }
      #expect(written.count == table.count)
    }
  #endif

  /// The lines between the two comments that enclose the table.
  private func documented() throws -> [String] {
    let readme = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md")
    let lines = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "<!-- cases -->"))
    let end = try #require(lines.firstIndex(of: "<!-- end of cases -->"))
    return Array(lines[(start + 1)..<end])
  }
}
