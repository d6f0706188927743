/// Says that a stream did not do what its diagram says.
public struct MarbleMismatch: Error, Sendable, CustomStringConvertible {
  /// What the diagrams tell of, such as "The stream".
  public let subject: String
  /// What the test says is to come.
  public let expected: MarbleDiagram
  /// What came.
  public let actual: MarbleDiagram
  /// What symbols stand for, and other remarks, one on each line.
  public let notes: [String]

  /// Both diagrams under one another, their frames aligned, and where they part.
  public var description: String {
    let lines = MarbleDiagram.aligned(expected, actual)
    let pointer = MarbleDiagram.pointer(expected, actual).map { ["          \($0)"] } ?? []
    let texts = [
      "\(subject) does not happen as its diagram says",
      "expected: \(lines.0)",
      "actual:   \(lines.1)",
    ]
    return (texts + pointer + notes).joined(separator: "\n")
  }
}
