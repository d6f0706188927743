import Foundation

/// The texts of this repository that show code, and the code they show.
enum GuideText {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The fenced blocks of a guide that follow a comment such as `<!-- snippet: api -->`, by its text.
  static func blocks(of guide: String) throws -> [String: String] {
    let blocks = try text(of: guide).matches(of: /<!-- (.+) -->\n```\w+\n((?:.*\n)*?)```/)
    return Dictionary(blocks.map { (String($0.1), String($0.2)) }) { $1 }
  }

  /// The lines between `// snippet: NAME` and `// end`, by name.
  static func regions(of path: String) throws -> [String: String] {
    let regions = try text(of: path).matches(of: /\/\/ snippet: (.+)\n((?:.*\n)*?)\/\/ end/)
    return Dictionary(regions.map { ("snippet: \($0.1)", String($0.2)) }) { $1 }
  }
}
