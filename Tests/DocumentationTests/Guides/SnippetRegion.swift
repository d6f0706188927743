/// A part of a source that a guide shows: the lines between `// snippet: NAME` and `// end`.
nonisolated struct SnippetRegion: Sendable {
  let name: String
  /// The path of its source.
  let path: String
  /// Its lines, as they would stand at the left edge.
  let text: String

  /// The regions of a source, in order.
  static func all(in text: String, of path: String) throws -> [SnippetRegion] {
    var regions: [SnippetRegion] = []
    var open: (name: String, lines: [Substring])?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let content = line.drop { $0 == " " }
      if content.hasPrefix("// snippet: ") {
        if let open { throw GuideError("\(path): the region \(open.name) has no end") }
        open = (String(content.dropFirst("// snippet: ".count)), [])
      } else if content == "// end", let ended = open {
        regions.append(
          SnippetRegion(name: ended.name, path: path, text: atLeftEdge(ended.lines)))
        open = nil
      } else {
        open?.lines.append(line)
      }
    }
    if let open { throw GuideError("\(path): the region \(open.name) has no end") }
    return regions
  }

  private static func atLeftEdge(_ lines: [Substring]) -> String {
    let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min()
    return lines.map { $0.dropFirst(indentation ?? 0) }.joined(separator: "\n")
  }
}
