/// A picture of marble diagrams: calls with their sources and results.
///
/// ```swift
/// let picture = MarblePicture("zip", panels: [try MarblePicture.Panel(MarbleChart(text))])
/// try picture.svg.write(toFile: "zip.svg", atomically: true, encoding: .utf8)
/// ```
///
/// Signals that a test has recorded are drawn in the same way: `Marbles.diagram(of:)` returns the
/// lines.
public struct MarblePicture: Sendable, Hashable {
  /// A line of a picture.
  public struct Line: Sendable, Hashable {
    /// The text before the line.
    public var name: String
    /// The event.
    ///
    /// On a line of signals, `^` begins the line and `!` cancels it. Signals after a `!` are drawn
    /// as never sent.
    public var diagram: MarbleDiagram

    /// Creates a line.
    public init(_ name: String, _ diagram: MarbleDiagram) {
      self.name = name
      self.diagram = diagram
    }
  }

  /// One call with its lines.
  public struct Panel: Sendable, Hashable {
    /// The call, as code.
    public var call: String
    /// The lines above the call.
    public var sources: [Line]
    /// The lines below the call.
    public var results: [Line]
    /// The meanings of the symbols.
    public var legend: [String: String]

    /// Creates a panel of lines, each list from top to bottom.
    public init(
      call: String, sources: [Line], results: [Line], legend: [String: String] = [:]
    ) {
      self.call = call
      self.sources = sources
      self.results = results
      self.legend = legend
    }

    /// Creates a panel of a chart.
    ///
    /// `demand`, `result` and each `… result` are below the call, and all other lines are above it.
    ///
    /// - Throws: A ``MarbleError`` with the problem of a line and its place.
    public init(_ chart: MarbleChart) throws(MarbleError) {
      self.init(call: chart.call, sources: [], results: [], legend: chart.legend)
      for name in chart.names {
        let line = Line(name, try chart.diagram(name, kind: Self.kind(of: name)))
        if name == "demand" || name.split(separator: " ").last == "result" {
          results.append(line)
        } else {
          sources.append(line)
        }
      }
    }

    private static func kind(of name: String) -> MarbleDiagram.Kind {
      switch name.split(separator: " ").last {
      case "demand": .demand
      case "subscribed": .subscriptions
      case "result": .signals
      default: .source
      }
    }
  }

  /// The title above the panels.
  public var title: String
  /// The calls, from top to bottom.
  public var panels: [Panel]

  /// Creates a picture.
  public init(_ title: String, panels: [Panel]) {
    self.title = title
    self.panels = panels
  }
}

extension MarblePicture: CustomStringConvertible {
  /// The picture in marble notation, with aligned frames.
  public var description: String { panels.map(\.text).joined(separator: "\n\n") }
}

extension MarblePicture.Panel {
  fileprivate var text: String {
    let lines = sources + results
    let width = lines.map(\.name.count).max() ?? 0
    let texts = zip(lines, MarbleDiagram.aligned(lines.map(\.diagram))).map { line, text in
      let space = String(repeating: " ", count: width - line.name.count + 1)
      return "\(line.name):\(space)\(text)"
    }
    let meanings = legend.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
    return (texts.prefix(sources.count) + [call] + texts.suffix(results.count) + meanings)
      .joined(separator: "\n")
  }
}
