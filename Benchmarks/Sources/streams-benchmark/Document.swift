import Foundation

/// A document that holds the table between two marks.
enum Document {
  static let begin = "<!-- benchmark: begin -->"
  static let end = "<!-- benchmark: end -->"

  static func replaceTable(in path: String, by table: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let begin = text.range(of: begin),
      let end = text.range(of: end, range: begin.upperBound..<text.endIndex)
    else { throw BadOption("\(path) lacks the two lines \(Self.begin) and \(Self.end)") }
    let replaced = text.replacingCharacters(
      in: begin.upperBound..<end.lowerBound, with: "\n\n\(table)\n\n")
    try replaced.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
