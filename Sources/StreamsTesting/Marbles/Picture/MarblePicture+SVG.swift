extension MarblePicture {
  enum Layout {
    /// The width of a phone, on which texts have the size that is given here.
    static let width = 400.0
    static let margin = 14.0
    static let bottom = 10.0
    static let title = 44.0
    static let row = 34.0
    static let codeLine = 18.0
    static let codeColumns = 46
    static let legendLine = 26.0
    static let gap = 16.0
  }

  /// The picture as an SVG document.
  ///
  /// The document needs no other file, and follows the reader's choice of light or dark. Viewers
  /// without CSS variables show the light one. It contains its marble notation as text for readers
  /// who cannot see it. It is 400 wide, or as wide as its longest line needs, and can be shown in
  /// any size: its letters have a size of 12.5 or more.
  public var svg: String {
    let drawings = panels.map { MarblePanelDrawing($0) }
    let width = drawings.map(\.width).max() ?? Layout.width
    var y = Layout.title
    var parts: [String] = []
    for (index, drawing) in drawings.enumerated() {
      if index > 0 {
        let place = "\(MarbleText.number(Layout.margin)) \(MarbleText.number(y + Layout.gap / 2))"
        let end = MarbleText.number(width - Layout.margin)
        parts.append(
          """
          <path class="axis" d="M\(place)H\(end)" fill="none" \(MarbleColor.axis.stroke) \
          stroke-dasharray="2 4"/>
          """)
        y += Layout.gap
      }
      parts += drawing.parts(from: &y, width: width)
    }
    parts += key(y: &y)
    let size = "\(MarbleText.number(width)) \(MarbleText.number(y + Layout.bottom))"
    let name = MarbleText.markup(title)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="100%" role="img" \
      aria-label="\(name)" class="marbles" \(MarbleColor.text.fill) font-family="sans-serif" \
      font-size="13" stroke-width="1.5">
      <title>\(name)</title>
      <desc>\(MarbleText.markup(description))</desc>
      <style>
      \(style)
      </style>
      <rect class="page" width="100%" height="100%" rx="8" \(MarbleColor.page.fill)/>
      <text x="\(MarbleText.number(Layout.margin))" y="28" font-size="16" font-weight="600">\(name)</text>
      \(parts.joined(separator: "\n"))
      </svg>

      """
  }

  /// Draws the meanings of signs that are not obvious.
  private func key(y: inout Double) -> [String] {
    let forms = Set(
      panels.flatMap { $0.sources + $0.results }.flatMap(\.shapes).map(\.form).map { form in
        if case .request = form { MarbleShape.Form.request("↑n") } else { form }
      })
    let texts: [(MarbleShape.Form, String)] = [
      (.begin, "subscribed"), (.cancel, "cancelled"), (.request("↑n"), "n values asked for"),
    ]
    let entries = texts.filter { forms.contains($0.0) }
    guard !entries.isEmpty else { return [] }
    y += Layout.legendLine - 2
    var x = Layout.margin
    return entries.flatMap { form, text in
      let shape = MarbleShape(form: form, frame: 0, isMissed: false)
      let middle = x + max(shape.width / 2, 4)
      let start = middle + max(shape.width / 2, 4) + 5
      x = start + Double(text.count) * 6.5 + 18
      return [
        MarbleShape.group([shape.svg(x: middle, y: y - 4)]),
        """
        <text class="note" x="\(MarbleText.number(start))" y="\(MarbleText.number(y))" \
        \(MarbleColor.note.fill)>\(text)</text>
        """,
      ]
    }
  }

  /// The style, with the hues that the picture uses.
  private var style: String {
    let symbols = panels.flatMap { panel in
      (panel.sources + panel.results).flatMap(\.shapes).compactMap { shape in
        if case .marble(let text) = shape.form { text } else { nil }
      } + panel.legend.keys
    }
    let hues = Set(symbols.map(MarbleColor.hueNumber)).sorted()
    let colors = MarbleColor.fixed + hues.map { .hue($0) }
    return """
      .marbles { \(MarbleColor.variables(colors, \.light)) }
      @media (prefers-color-scheme: dark) {
        .marbles { \(MarbleColor.variables(colors, \.dark)) } }
      \(Self.rules)
      \(hues.map { ".marbles .h\($0) { fill: var(--\($0)); }" }.joined(separator: " "))
      """
  }

  private static let rules = """
    .marbles text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      fill: var(--text); }
    .marbles .code, .marbles .sign { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono",
      monospace; white-space: pre; }
    .marbles .sign { fill: var(--on); }
    .marbles .note, .marbles .missed .sign, .marbles .request .sign { fill: var(--note); }
    .marbles path { stroke: var(--line); }
    .marbles .page { fill: var(--page); }
    .marbles .box { fill: var(--box); stroke: var(--axis); }
    .marbles .axis { stroke: var(--axis); }
    .marbles .end { stroke: var(--text); }
    .marbles .failure { stroke: var(--failure); }
    .marbles .begin { fill: var(--line); }
    .marbles .cancel { fill: var(--page); }
    .marbles .missed rect, .marbles .request rect { fill: var(--page); stroke: var(--line); }
    .marbles .missed path { stroke: var(--line); }
    """
}
