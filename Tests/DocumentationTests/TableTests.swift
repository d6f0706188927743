import Foundation
import Testing

/// The tables of the guides hold code in code font, which the snippets beside them do not show.
@Suite("The code in the tables of the guides is compiled")
struct TableTests {
  /// The compiled code without white space.
  private static func compiled() throws -> String {
    let folders = ["Tests/DocumentationTests", "Tests/Examples", "Examples"]
    return try folders.flatMap { try Repository.files(in: $0, endingIn: ".swift") }
      .map { try bare(Repository.text(of: $0)) }.joined()
  }

  private static func bare(_ code: some StringProtocol) -> String {
    code.split(whereSeparator: \.isWhitespace).joined()
  }

  /// Returns the code in the tables of a guide.
  ///
  /// It leaves out the first columns, which name what is elsewhere, and the names of declarations,
  /// such as `decode(type:decoder:)`.
  static func code(in guide: String) -> [String] {
    var isBlock = false
    return guide.split(separator: "\n").flatMap { line -> [String] in
      if line.hasPrefix("```") { isBlock.toggle() }
      guard !isBlock, line.hasPrefix("|") else { return [] }
      let cells = line.dropFirst().split(separator: " | ").dropFirst()
      return cells.flatMap { cell in cell.matches(of: /`([^`]+)`/).map { String($0.1) } }
    }
    .filter { code in
      let isName = code.contains(/[A-Za-z_]:\)|\(_/) || code.wholeMatch(of: /[\w.<>]+\(\)/) != nil
      return code.contains(/[(\[{]/) && !isName
    }
  }

  /// Returns the pieces of a code between its ellipses, without white space.
  static func pieces(of code: String) -> [String] {
    code.split(separator: "…").map { piece in
      bare(piece).trimmingCharacters(in: CharacterSet(charactersIn: "(),"))
    }
    .filter { $0.count > 3 }
  }

  @Test("Each code in a table stands in code that is compiled")
  func tables() throws {
    let compiled = try Self.compiled()
    var count = 0
    for path in try Repository.files(in: "Docs", endingIn: ".md") + ["README.md"] {
      for code in try Self.code(in: Repository.text(of: path)) {
        for piece in Self.pieces(of: code) {
          count += 1
          // The whole code would be part of the failure.
          let isCompiled = compiled.contains(piece)
          #expect(isCompiled, "\(path): \(code)")
        }
      }
    }
    #expect(count > 100)
  }

  @Test("Code is told from names, from first columns and from blocks")
  func parsing() {
    let guide = """
      | there | here |
      | --- | --- |
      | `first(1)` | `a(1, …)`; `decode(type:)`, `f(_:)`, `open()`, `word` |
      ```swift
      | `x` | `b(2)` |
      ```
      """
    #expect(Self.code(in: guide) == ["a(1, …)"])
    #expect(Self.pieces(of: "abc(1, …, d: 22)") == ["abc(1", "d:22"])
  }
}
