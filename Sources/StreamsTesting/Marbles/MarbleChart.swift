/// Several named marble lines, the call they belong to, and the meaning of their symbols.
///
/// ```marble
/// source: --1--2--|
/// zip(other)
/// result: --x--|
/// x = (1, 4)
/// ```
///
/// A line `name: diagram` holds a diagram. A line `x = text` gives the meaning of a symbol. All
/// other lines form the ``call``. The doc comments of Streams use this format.
public struct MarbleChart: Sendable, Hashable {
  private struct Line: Sendable, Hashable {
    let text: String
    let number: Int
    let column: Int
  }

  /// The names of the diagrams, in order.
  public private(set) var names: [String] = []
  /// The call on the sources: the lines that are neither a diagram nor part of the legend.
  public private(set) var call = ""
  /// The meanings of the symbols.
  public private(set) var legend: [String: String] = [:]
  private var lines: [String: Line] = [:]

  /// Reads a chart.
  ///
  /// - Throws: A ``MarbleError`` with the problem and its place. Diagrams are read by
  ///   ``diagram(_:kind:frame:)``.
  public init(_ text: String) throws(MarbleError) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if let match = line.prefixMatch(of: #/([A-Za-z][A-Za-z0-9 ]*):(?: |$)/#) {
        let name = String(match.1)
        let rest = line[match.range.upperBound...]
        try add(
          name,
          Line(
            text: String(rest), number: index + 1,
            column: line.distance(from: line.startIndex, to: rest.startIndex) + 1))
      } else if let match = line.wholeMatch(of: #/(\S) = (.+)/#) {
        let symbol = String(match.1)
        if legend.updateValue(String(match.2), forKey: symbol) != nil {
          throw MarbleError(problem: .repeatedName(symbol), line: index + 1, column: 1)
        }
      } else if !line.allSatisfy(\.isWhitespace) {
        call += call.isEmpty ? line : "\n" + line
      }
    }
  }

  private mutating func add(_ name: String, _ line: Line) throws(MarbleError) {
    if lines.updateValue(line, forKey: name) != nil {
      throw MarbleError(problem: .repeatedName(name), line: line.number, column: 1)
    }
    names.append(name)
  }

  /// Returns the text of the diagram of this name, if there is one.
  public func text(of name: String) -> String? { lines[name]?.text }

  /// Reads one of the diagrams.
  ///
  /// - Parameters:
  ///   - name: The name of the diagram.
  ///   - kind: The subject of the line.
  ///   - frame: The length of a frame, by which times such as `2s` are counted.
  /// - Throws: A ``MarbleError`` with the problem and its place in the chart, also if there is no
  ///   such diagram.
  public func diagram(
    _ name: String, kind: MarbleDiagram.Kind = .signals, frame: Duration = .milliseconds(10)
  ) throws(MarbleError) -> MarbleDiagram {
    guard let line = lines[name] else {
      throw MarbleError(problem: .missingLine(name), line: 1, column: 1)
    }
    var parser = MarbleParser(
      line.text, kind: kind, frame: frame, line: line.number, column: line.column)
    try parser.parse()
    return MarbleDiagram(
      kind: kind, events: parser.events, frameCount: parser.frame, frame: frame)
  }
}
