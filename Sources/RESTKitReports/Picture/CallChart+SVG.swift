import RESTKit

extension CallChart {
  private enum Layout {
    static let firstRow = 56
    static let row = 44
    static let bar = 12
    /// The distance from the top of a row to its bar.
    static let toBar = 20
    static let axis = 28
    static let legendLine = 22
    static let legendColumns = 3
    /// The width of a phone: texts have the size there that is written here.
    static let width = 400
    /// The length of the shortest bar, as a fraction of the axis.
    static let shortest = 0.005
    /// The number of characters that fit side by side on a phone.
    static let lineLength = 46
    /// The left and right margins, in percent of the width.
    static let margin = 3.0
  }

  /// The chart as an SVG document.
  ///
  /// Positions along the axis are in percent of the width, and all other sizes in pixels. The
  /// picture follows the reader's light or dark mode.
  var svg: String {
    let rowsEnd = Layout.firstRow + rows.count * Layout.row
    let legend = rowsEnd + Layout.axis
    let legendLines = (phases.count + Layout.legendColumns - 1) / Layout.legendColumns
    let height = legend + legendLines * Layout.legendLine + 16
    let parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Layout.width) \(height)" width="100%" \
      role="img" aria-label="\(title.markup)" class="call" fill="\(Color.text.light)" \
      font-family="sans-serif" font-size="13">
      <title>\(title.markup)</title>
      <desc>\(text.markup)</desc>
      <style>
      \(Self.style)
      </style>
      <rect \(Color.page.fill) width="100%" height="100%" rx="8"/>
      <text x="\(Layout.margin)%" y="30" font-size="15" font-weight="600">\
      \(title.cut(to: 42).markup)</text>
      """,
      axis(from: Layout.firstRow - 8, to: rowsEnd),
      rows.enumerated().map { svg($1, y: Layout.firstRow + $0 * Layout.row) }
        .joined(separator: "\n"),
      phases.enumerated().map { index, phase in
        let column = Double(index % Layout.legendColumns) / Double(Layout.legendColumns)
        let y = legend + index / Layout.legendColumns * Layout.legendLine
        return """
          <rect \(phase.color.fill) x="\(percent(column))" y="\(y + 6)" width="10" height="10" rx="2"/>
          <text \(Color.note.fill) x="\(percent(column))" dx="16" y="\(y + 15)" font-size="12">\
          \(phase.rawValue)</text>
          """
      }.joined(separator: "\n"),
      "</svg>",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  private func svg(_ row: Row, y: Int) -> String {
    let bars = row.spans.map { span in
      let time = (span.end - span.start).shortText
      return """
        <rect \(span.phase.color.fill) x="\(start(of: span))" y="\(y + Layout.toBar)" \
        width="\(width(of: span))" height="\(Layout.bar)" rx="2">\
        <title>\(span.phase.rawValue) \(time)</title></rect>
        """
    }
    let outcome = row.outcome.cut(to: 24)
    let label = row.label.cut(to: Layout.lineLength - outcome.count)
    let lines = [
      """
      <text x="\(Layout.margin)%" y="\(y + 12)" font-weight="500">\(label.markup)\
      <title>\(row.label.markup)</title></text>
      """,
      """
      <text \((row.isFailure ? Color.failure : .note).fill) x="\(100 - Layout.margin)%" y="\(y + 12)" \
      font-size="12" text-anchor="end">\(outcome.markup)</text>
      """,
      """
      <rect \(Color.track.fill) x="\(Layout.margin)%" y="\(y + Layout.toBar)" \
      width="\(100 - 2 * Layout.margin)%" height="\(Layout.bar)" rx="2"/>
      """,
    ]
    return (lines + bars).joined(separator: "\n")
  }

  private func axis(from top: Int, to bottom: Int) -> String {
    ticks.map { tick in
      let isNearEnd = fraction(tick) > 0.9
      return """
        <line x1="\(place(tick))" x2="\(place(tick))" y1="\(top)" y2="\(bottom)" \
        stroke="\(Color.line.light)" stroke-dasharray="2 3"/>
        <text \(Color.note.fill) x="\(place(tick))" y="\(bottom + 14)" font-size="12" \
        text-anchor="\(tick == .zero ? "start" : isNearEnd ? "end" : "middle")">\
        \(tick == .zero ? "0" : tick.shortText)</text>
        """
    }.joined(separator: "\n")
  }

  private func fraction(_ time: Duration) -> Double {
    Double(time.inMicroseconds) / Double(length.inMicroseconds)
  }

  private func place(_ time: Duration) -> String { percent(fraction(time)) }

  /// Returns the width of a bar.
  ///
  /// Each bar is long enough to be visible, and none passes the end of the axis.
  private func width(of span: Span) -> String {
    let length = max(fraction(span.end) - fraction(span.start), Layout.shortest)
    return "\(Self.rounded(length * (100 - 2 * Layout.margin)))%"
  }

  private func start(of span: Span) -> String {
    percent(min(fraction(span.start), 1 - Layout.shortest))
  }

  private func percent(_ fraction: Double) -> String {
    "\(Self.rounded(Layout.margin + fraction * (100 - 2 * Layout.margin)))%"
  }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  private static let style = """
    .call { \(Color.variables(\.light)) }
    @media (prefers-color-scheme: dark) {
      .call { \(Color.variables(\.dark)) } }
    .call text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      font-variant-numeric: tabular-nums; fill: var(--text); }
    .call line { stroke: var(--line); }
    \(Color.allCases.filter { $0 != .text && $0 != .line }
      .map { ".call .\($0) { fill: var(--\($0)); }" }.joined(separator: " "))
    """
}
