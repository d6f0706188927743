import Foundation
import Testing

/// The hostile inputs of `Tests/Fixtures/Corpus`: files of one case a line, in JSON, each with
/// what must become of it.
package enum Corpus {
  /// A line of a file.
  package struct Entry<Case: Decodable & Sendable>: Sendable, CustomTestStringConvertible {
    package let content: Case
    /// Where it stands, for failures to point at.
    package let location: SourceLocation

    package var testDescription: String { "line \(location.line)" }
  }

  package static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appending(path: "Corpus")

  /// The names of the files, in order, without their ending.
  package static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".jsonl") }
      .map { String($0.dropLast(6)) }
      .sorted()
  }

  /// The cases of a file; none, and an issue, where it cannot be read.
  package static func entries<Case>(_ file: String, of type: Case.Type = Case.self) -> [Entry<Case>]
  {
    do {
      let path = folder.appending(path: "\(file).jsonl")
      let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
      return try lines.enumerated().map { index, line in
        Entry(
          content: try JSONDecoder().decode(Case.self, from: Data(line.utf8)),
          location: SourceLocation(
            fileID: "Fixtures/\(file).jsonl", filePath: path.path, line: index + 1, column: 1))
      }
    } catch {
      Issue.record(error, "\(file).jsonl")
      return []
    }
  }
}
