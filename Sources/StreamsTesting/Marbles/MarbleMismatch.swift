/// The error for a stream that differs from its diagram.
public struct MarbleMismatch: Error, Sendable, CustomStringConvertible {
  /// The subject of the diagrams, such as "The stream".
  public let subject: String
  /// The diagram that the test expects.
  public let expected: MarbleDiagram
  /// The diagram of the actual signals.
  public let actual: MarbleDiagram
  /// The meanings of symbols and other remarks, one on each line.
  public let notes: [String]

  /// Both diagrams below each other, with aligned frames and a pointer to the first difference.
  public var description: String {
    let lines = MarbleDiagram.aligned(expected, actual)
    let pointer = MarbleDiagram.pointer(expected, actual).map { ["          \($0)"] } ?? []
    let texts = [
      "\(subject) differs from its diagram",
      "expected: \(lines.0)",
      "actual:   \(lines.1)",
    ]
    return (texts + pointer + notes).joined(separator: "\n")
  }
}
