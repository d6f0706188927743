/// A fenced block of a guide, and the comment on the line before it.
nonisolated struct GuideBlock: Sendable {
  /// The line of the block's fence, from 1.
  let line: Int
  /// The trimmed text of the comment; nil if the line before is not a comment.
  let comment: String?
  let language: String
  /// The lines between the fences, without the fence's indentation.
  let text: String

  /// The blocks of a guide, in order.
  static func all(in text: String, of path: String) throws -> [GuideBlock] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var blocks: [GuideBlock] = []
    var fence: Int?
    for (index, line) in lines.enumerated()
    where line.drop(while: { $0 == " " }).hasPrefix("```") {
      guard let begin = fence else {
        fence = index
        continue
      }
      let indentation = lines[begin].prefix { $0 == " " }
      blocks.append(
        GuideBlock(
          line: begin + 1, comment: begin > 0 ? comment(in: lines[begin - 1]) : nil,
          language: String(lines[begin].drop { $0 == " " }.dropFirst(3)),
          text: lines[(begin + 1)..<index]
            .map { $0.hasPrefix(indentation) ? $0.dropFirst(indentation.count) : $0 }
            .joined(separator: "\n")))
      fence = nil
    }
    if let fence { throw GuideError("\(path), line \(fence + 1): the block has no end") }
    return blocks
  }

  private static func comment(in line: Substring) -> String? {
    line.wholeMatch(of: /\s*<!--\s*(.*?)\s*-->\s*/).map { String($0.1) }
  }
}
