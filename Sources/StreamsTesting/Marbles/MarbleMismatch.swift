/// Says that a stream did not do what its diagram says.
public struct MarbleMismatch: Error, Sendable, CustomStringConvertible {
  /// What the diagram tells of, such as "the result".
  public let subject: String
  public let expected: MarbleDiagram
  public let actual: MarbleDiagram
  /// What symbols stand for, and other remarks, one on each line.
  public let notes: [String]

  /// Both diagrams under one another, their frames aligned.
  public var description: String {
    let (expected, actual) = MarbleDiagram.aligned(expected, actual)
    let lines = [
      "\(subject) does not happen as its diagram says",
      "expected: \(expected)",
      "actual:   \(actual)",
    ]
    return (lines + notes).joined(separator: "\n")
  }
}
