/// A drawing of one call with its lines.
struct MarblePanelDrawing {
  private typealias Layout = MarblePicture.Layout

  private let panel: MarblePicture.Panel
  private let lines: [[MarbleShape]]
  private let columns: MarbleColumns
  private let start: Double

  init(_ panel: MarblePicture.Panel) {
    self.panel = panel
    let all = panel.sources + panel.results
    lines = all.map(\.shapes)
    let names = Double(all.map(\.name.count).max() ?? 0)
    start = Layout.margin + names * 7.6 + 16
    columns = MarbleColumns(lines, from: start, to: Layout.width - Layout.margin - 14)
  }

  /// The width that the picture needs.
  var width: Double { max(Layout.width, columns.end + Layout.margin + 14) }

  /// Draws the panel below a position, and moves the position to its end.
  func parts(from y: inout Double, width: Double) -> [String] {
    var parts: [String] = []
    let end = width - Layout.margin
    for (line, shapes) in zip(panel.sources, lines) {
      parts.append(row(line, shapes, y: y + Layout.row / 2 - 4, end: end))
      y += Layout.row
    }
    parts += box(y: &y, width: width)
    for (line, shapes) in zip(panel.results, lines.suffix(panel.results.count)) {
      parts.append(row(line, shapes, y: y + Layout.row / 2, end: end))
      y += Layout.row
    }
    return parts + legend(y: &y, width: width)
  }

  private func box(y: inout Double, width: Double) -> [String] {
    let code = MarbleText.wrapped(panel.call, width: Layout.codeColumns)
    let height = Double(code.count) * Layout.codeLine + 12
    let box = """
      <rect class="box" x="\(text(Layout.margin))" y="\(text(y))" \
      width="\(text(width - 2 * Layout.margin))" height="\(text(height))" rx="6" \
      \(MarbleColor.box.fill) \(MarbleColor.axis.stroke) stroke-width="1"/>
      """
    let lines = code.enumerated().map { index, line in
      let baseline = y + 19 + Double(index) * Layout.codeLine
      return codeLine(line, x: Layout.margin + 8, y: baseline)
    }
    y += height
    return [box] + lines
  }

  private func row(
    _ line: MarblePicture.Line, _ shapes: [MarbleShape], y: Double, end: Double
  ) -> String {
    let name = """
      <text class="note" x="\(text(Layout.margin))" y="\(text(y + 4.5))" \(MarbleColor.note.fill)>\
      \(MarbleText.markup(line.name))</text>
      """
    let axis = """
      <path class="axis" d="M\(text(start)) \(text(y))H\(text(end))m-6-4 6 4-6 4" fill="none" \
      \(MarbleColor.axis.stroke)/>
      """
    let marks = shapes.map { $0.svg(x: columns.place(of: $0), y: y) }
    let life = life(line, shapes, y: y, end: end)
    let times = columns.pauses.map { pause in
      """
      <text class="note" x="\(text(pause.middle))" y="\(text(y - 4))" text-anchor="middle" \
      \(MarbleColor.note.fill)>\(MarbleTime.text(of: line.diagram.frame * pause.frames))</text>
      """
    }
    return ([name, axis, life] + times + [marks.isEmpty ? "" : MarbleShape.group(marks)])
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// Returns the part of the line with a subscriber.
  private func life(
    _ line: MarblePicture.Line, _ shapes: [MarbleShape], y: Double, end: Double
  ) -> String {
    guard line.diagram.kind == .signals || line.diagram.kind == .source else { return "" }
    let begin = shapes.first { $0.form == .begin }.map(columns.place) ?? start
    let last = shapes.first { [.end, .failure, .cancel].contains($0.form) }.map(columns.place)
    let arrow = last == nil ? "m-6-4 6 4-6 4" : ""
    return """
      <path d="M\(text(begin)) \(text(y))H\(text(last ?? end))\(arrow)" fill="none" \
      \(MarbleColor.line.stroke)/>
      """
  }

  /// Draws the meanings of symbols, next to each other if there is room.
  private func legend(y: inout Double, width: Double) -> [String] {
    guard !panel.legend.isEmpty else { return [] }
    let columns = Int(clamping: Int64((width - 2 * Layout.margin) / MarbleText.letter))
    var x = Layout.margin
    var parts: [String] = []
    y += Layout.legendLine - 4
    for (symbol, meaning) in panel.legend.sorted(by: { $0.key < $1.key }) {
      let shape = MarbleShape(form: .marble(symbol), frame: 0, isMissed: false)
      for (index, line) in MarbleText.wrapped("= \(meaning)", width: columns - 4).enumerated() {
        let needed = shape.width + 6 + Double(line.count) * MarbleText.letter
        if index > 0 || (x > Layout.margin && x + needed > width - Layout.margin) {
          x = Layout.margin
          y += Layout.legendLine
        }
        if index == 0 {
          parts.append(MarbleShape.group([shape.svg(x: x + shape.width / 2, y: y - 4)]))
        }
        parts.append(codeLine(line, x: x + shape.width + 6, y: y))
        x += needed + 12
      }
    }
    y += 10
    return parts
  }

  /// A line of code; viewers that know no `white-space` keep its indentation, too.
  private func codeLine(_ line: String, x: Double, y: Double) -> String {
    """
    <text class="code" x="\(text(x))" y="\(text(y))" font-family="monospace" font-size="12.5"\
    \(line.hasPrefix(" ") ? " xml:space=\"preserve\"" : "")>\(MarbleText.markup(line))</text>
    """
  }

  private func text(_ number: Double) -> String { MarbleText.number(number) }
}

extension MarbleShape {
  /// Returns a group of shapes with the look of their texts.
  static func group(_ shapes: [String]) -> String {
    """
    <g \(MarbleColor.on.fill) font-family="monospace" font-size="12.5" font-weight="600" \
    text-anchor="middle">
    \(shapes.joined(separator: "\n"))
    </g>
    """
  }

  /// Returns the shape, centered at a position.
  func svg(x: Double, y: Double) -> String {
    let place = "\(MarbleText.number(x)) \(MarbleText.number(y))"
    switch form {
    case .marble(let symbol):
      let hue = MarbleColor.hueNumber(of: symbol)
      let box = "class=\"h\(hue)\" \((isMissed ? MarbleColor.page : .hue(hue)).fill)"
      let edge = isMissed ? " \(MarbleColor.line.stroke)" : ""
      return missed(self.box(box + edge, symbol, x: x, y: y))
    case .request(let count):
      let look = "\(MarbleColor.page.fill) \(MarbleColor.line.stroke)"
      return missed(
        """
        <g class="request" \(MarbleColor.note.fill)>\(box(look, count, x: x, y: y))</g>
        """)
    case .end: return sign("end", "M\(place)m0-11v22", .text, width: 3)
    case .failure: return sign("failure", "M\(place)m-7-7 14 14m0-14-14 14", .failure, width: 3)
    case .cancel: return sign("cancel", "M\(place)m0-7 7 7-7 7-7-7z", fill: .page)
    case .begin:
      return sign("begin", "M\(place)m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", fill: .line)
    }
  }

  private func sign(
    _ name: String, _ path: String, _ color: MarbleColor = .line, width: Int? = nil,
    fill: MarbleColor? = nil
  ) -> String {
    let width = width.map { " stroke-width=\"\($0)\"" } ?? ""
    return missed(
      """
      <path class="\(name)" d="\(path)" \(fill?.fill ?? "fill=\"none\"") \
      \((isMissed ? .line : color).stroke)\(width)/>
      """)
  }

  private func box(_ look: String, _ text: String, x: Double, y: Double) -> String {
    let number = MarbleText.number
    return """
      <rect \(look) x="\(number(x - width / 2))" y="\(number(y - 11))" \
      width="\(number(width))" height="22" rx="11"/>\
      <text class="sign" x="\(number(x))" y="\(number(y + 4.5))">\(MarbleText.markup(text))</text>
      """
  }

  private func missed(_ content: String) -> String {
    guard isMissed else { return content }
    return "<g class=\"missed\" \(MarbleColor.note.fill) stroke-dasharray=\"2 2\">\(content)</g>"
  }
}
