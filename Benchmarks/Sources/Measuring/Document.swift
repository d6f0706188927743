import Foundation

/// A part of a document, between two marks, that a benchmark writes.
public struct Document: Sendable {
  public let begin: String
  public let end: String

  /// - Parameter part: The name in the marks; a document may have several parts.
  public init(part: String) {
    begin = "<!-- \(part): begin -->"
    end = "<!-- \(part): end -->"
  }

  /// Puts a text in the place of the one between the marks, and leaves the rest as it is.
  ///
  /// - Throws: ``BadOption`` where the file lacks the marks; what reading and writing throw.
  public func replacePart(of path: String, by part: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let begin = text.range(of: begin),
      let end = text.range(of: end, range: begin.upperBound..<text.endIndex)
    else { throw BadOption("\(path) lacks the two lines \(self.begin) and \(self.end)") }
    let replaced = text.replacingCharacters(
      in: begin.upperBound..<end.lowerBound, with: "\n\n\(part)\n\n")
    try replaced.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
