/// A fenced block of a guide, and the comment on the line before it.
struct GuideBlock: Sendable {
  /// The line of the block's fence, from 1.
  let line: Int
  /// What stands in the comment, without blanks around it; nil where the line before is no comment.
  let comment: String?
  let language: String
  /// The lines between the fences, without the fence's indentation.
  let text: String

  /// The blocks of a text in Markdown, in order.
  static func all(in text: String) throws -> [GuideBlock] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var blocks: [GuideBlock] = []
    var fence: Int?
    for (index, line) in lines.enumerated() where line.drop(while: \.isSpace).hasPrefix("```") {
      guard let begin = fence else {
        fence = index
        continue
      }
      let indentation = lines[begin].prefix(while: \.isSpace)
      blocks.append(
        GuideBlock(
          line: begin + 1, comment: begin > 0 ? comment(in: lines[begin - 1]) : nil,
          language: String(lines[begin].drop(while: \.isSpace).dropFirst(3)),
          text: lines[(begin + 1)..<index]
            .map { $0.hasPrefix(indentation) ? $0.dropFirst(indentation.count) : $0 }
            .joined(separator: "\n")))
      fence = nil
    }
    if let fence { throw GuideError("line \(fence + 1): the block has no end") }
    return blocks
  }

  private static func comment(in line: Substring) -> String? {
    line.wholeMatch(of: /\s*<!--\s*(.*?)\s*-->\s*/).map { String($0.1) }
  }
}

extension Character {
  /// Whether it is a space of an indentation.
  var isSpace: Bool { self == " " }
}

/// What is wrong with a guide or the code that it shows.
struct GuideError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
