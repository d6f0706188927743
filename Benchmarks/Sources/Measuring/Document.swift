import Foundation

/// A part of a document between two marks, which a benchmark writes.
public struct Document: Sendable {
  public let begin: String
  public let end: String

  /// - Parameter part: The name in the marks, since a document can have several parts.
  public init(part: String) {
    begin = "<!-- \(part): begin -->"
    end = "<!-- \(part): end -->"
  }

  /// Replaces the text between the marks.
  ///
  /// - Throws: ``BadOption`` if the file lacks the marks, or an error of reading or writing the
  ///   file.
  public func replacePart(of path: String, by part: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let begin = text.range(of: begin),
      let end = text.range(of: end, range: begin.upperBound..<text.endIndex)
    else { throw BadOption("\(path) needs the two lines \(self.begin) and \(self.end)") }
    let replaced = text.replacingCharacters(
      in: begin.upperBound..<end.lowerBound, with: "\n\n\(part)\n\n")
    try replaced.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
