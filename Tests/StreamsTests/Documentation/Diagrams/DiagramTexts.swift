import Foundation

/// Reads pieces of code from the files in which they stand.
struct DiagramTexts {
  private var files: [String: [Substring]] = [:]

  /// Returns the text between the braces that open on a line.
  mutating func block(in file: String, line: Int) throws -> String {
    var text = ""
    var depth = 0
    for character in try lines(of: file)[(line - 1)...].lazy.map({ $0 + "\n" }).joined() {
      if character == "}" {
        depth -= 1
        if depth == 0 { return text }
      }
      if depth > 0 { text.append(character) }
      if character == "{" { depth += 1 }
    }
    throw DiagramError(description: "no code at line \(line) of \(file)")
  }

  private mutating func lines(of file: String) throws -> [Substring] {
    if let lines = files[file] { return lines }
    let lines = try String(contentsOfFile: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    files[file] = lines
    return lines
  }
}
