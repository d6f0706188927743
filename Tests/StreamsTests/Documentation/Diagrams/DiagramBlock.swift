import StreamsFixtures
import StreamsTesting

/// A marble diagram in a doc comment of Streams.
struct DiagramBlock: Sendable {
  let path: String
  let line: Int
  /// The name of the documented symbol.
  let name: String
  /// The first sentence of the comment.
  let summary: String
  var text: String

  var title: String { "\(name) (\(path), line \(line))" }

  /// All diagrams of the library, which are read once.
  static func all() throws -> [DiagramBlock] { try library.get() }

  private static let library = Result {
    try StreamsSources.tree(of: "Sources/Streams").flatMap { path in
      try blocks(in: StreamsSources.text(of: path), path: path)
    }
  }

  static func blocks(in source: String, path: String) -> [DiagramBlock] {
    var blocks: [DiagramBlock] = []
    var waiting: [(line: Int, text: String)] = []
    var comments: [Substring] = []
    var open: (line: Int, text: [Substring])?
    // Lines by their bytes: by characters, the whole library takes seconds.
    let lines = source.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = Substring(line.drop { $0 == UInt8(ascii: " ") })
      let comment = text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)
      if text.hasPrefix("///") { comments.append(comment) }
      if text.hasPrefix("///"), let block = open {
        if comment == "```" {
          waiting.append((block.line, block.text.joined(separator: "\n")))
          open = nil
        } else {
          open = (block.line, block.text + [comment])
        }
      } else if text.hasPrefix("/// ```marble") {
        open = (index + 1, [])
      } else if !waiting.isEmpty && !text.hasPrefix("///") && !text.hasPrefix("@") {
        let name = declaredName(in: text)
        let summary = comments.prefix { !$0.isEmpty }.joined(separator: " ")
        blocks += waiting.map {
          DiagramBlock(
            path: path, line: $0.line, name: name, summary: summary, text: $0.text)
        }
        waiting = []
      }
      if !text.hasPrefix("///") && !text.hasPrefix("@") { comments = [] }
    }
    return blocks
  }

  private static func declaredName(in text: Substring) -> String {
    text.firstMatch(of: #/\b(?:func|var|struct|class|enum|init)\b `?([A-Za-z0-9]+)/#)
      .map { String($0.1) } ?? "?"
  }
}
