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
    /// The length of the shortest bar, as a fraction of the axis.
    static let shortest = 0.005
    /// The number of characters that fit side by side on a phone.
    static let lineLength = 46
    /// The left and right margins, in percent of the width.
    static let margin = 3.0
  }

  /// The chart as an SVG document.
  ///
  /// Positions along the axis are in percent, and all other sizes in pixels. In a narrow picture, the bars
  /// become shorter and the text keeps its size. The picture follows the reader's light or dark mode.
  var svg: String {
    let rowsEnd = Layout.firstRow + rows.count * Layout.row
    let legend = rowsEnd + Layout.axis
    let legendLines = (phases.count + Layout.legendColumns - 1) / Layout.legendColumns
    let height = legend + legendLines * Layout.legendLine + 16
    let parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="100%" height="\(height)" role="img" \
      aria-label="\(title.markup)" class="call">
      <title>\(title.markup)</title>
      <desc>\(text.markup)</desc>
      <style>
      \(Self.style)
      </style>
      <rect class="page" width="100%" height="100%" rx="8"/>
      <text class="title" x="\(Layout.margin)%" y="30">\(title.cut(to: 42).markup)</text>
      """,
      axis(from: Layout.firstRow - 8, to: rowsEnd),
      rows.enumerated().map { svg($1, y: Layout.firstRow + $0 * Layout.row) }
        .joined(separator: "\n"),
      phases.enumerated().map { index, phase in
        let column = Double(index % Layout.legendColumns) / Double(Layout.legendColumns)
        let y = legend + index / Layout.legendColumns * Layout.legendLine
        return """
          <rect class="\(phase.style)" x="\(percent(column))" y="\(y + 6)" width="10" height="10" rx="2"/>
          <text class="note" x="\(percent(column))" dx="16" y="\(y + 15)">\(phase.rawValue)</text>
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
        <rect class="\(span.phase.style)" x="\(start(of: span))" y="\(y + Layout.toBar)" \
        width="\(width(of: span))" height="\(Layout.bar)" rx="2">\
        <title>\(span.phase.rawValue) \(time)</title></rect>
        """
    }
    let outcome = row.outcome.cut(to: 24)
    let label = row.label.cut(to: Layout.lineLength - outcome.count)
    let lines = [
      """
      <text class="label" x="\(Layout.margin)%" y="\(y + 12)">\(label.markup)\
      <title>\(row.label.markup)</title></text>
      """,
      """
      <text class="\(row.isFailure ? "failure" : "note")" x="\(100 - Layout.margin)%" y="\(y + 12)" \
      text-anchor="end">\(outcome.markup)</text>
      """,
      """
      <rect class="track" x="\(Layout.margin)%" y="\(y + Layout.toBar)" \
      width="\(100 - 2 * Layout.margin)%" height="\(Layout.bar)" rx="2"/>
      """,
    ]
    return (lines + bars).joined(separator: "\n")
  }

  private func axis(from top: Int, to bottom: Int) -> String {
    ticks.map { tick in
      let isNearEnd = fraction(tick) > 0.9
      return """
        <line x1="\(place(tick))" x2="\(place(tick))" y1="\(top)" y2="\(bottom)"/>
        <text class="tick" x="\(place(tick))" y="\(bottom + 14)" \
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
    .call { --page: #ffffff; --text: #1c2024; --note: #5c646e; --track: #eef0f3; --line: #d5d9de;
      --failure: #b3261e; --queue: #c2c8d0; --lookup: #12808a; --connect: #d0650a; --tls: #8a4fd0;
      --send: #9a7b12; --wait: #3c9a5f; --transfer: #2b6cd9; --refresh: #c0328a;
      --backoff: #8b929c; }
    @media (prefers-color-scheme: dark) {
      .call { --page: #15181c; --text: #eceff3; --note: #a3acb8; --track: #24292f; --line: #363d46;
        --failure: #ff8a80; --queue: #59616c; --lookup: #35b3bd; --connect: #f0924a; --tls: #b58af0;
        --send: #d3b245; --wait: #5cc485; --transfer: #6ba0f7; --refresh: #ea6dbb;
        --backoff: #7d8692; } }
    .call text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      fill: var(--text); }
    .call .title { font-size: 15px; font-weight: 600; }
    .call .label { font-weight: 500; }
    .call .note, .call .failure, .call .tick { font-size: 12px; fill: var(--note);
      font-variant-numeric: tabular-nums; }
    .call .failure { fill: var(--failure); }
    .call .page { fill: var(--page); }
    .call .track { fill: var(--track); }
    .call line { stroke: var(--line); stroke-dasharray: 2 3; }
    \(Phase.allCases.filter { $0 != .omitted }.map { ".call .\($0) { fill: var(--\($0)); }" }
      .joined(separator: " "))
    """
}
