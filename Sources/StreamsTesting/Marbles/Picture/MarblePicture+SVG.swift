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
  /// The document needs no other file, and follows the reader's choice of light or dark. It
  /// contains its marble notation as text for readers who cannot see it. It is 400 wide, or as wide
  /// as its longest line needs, and can be shown in any size: its letters have a size of 12.5 or
  /// more.
  public var svg: String {
    let drawings = panels.map { MarblePanelDrawing($0) }
    let width = drawings.map(\.width).max() ?? Layout.width
    var y = Layout.title
    var parts: [String] = []
    for (index, drawing) in drawings.enumerated() {
      if index > 0 {
        let place = "\(MarbleText.number(Layout.margin)) \(MarbleText.number(y + Layout.gap / 2))"
        let end = MarbleText.number(width - Layout.margin)
        parts.append("<path class=\"axis\" stroke-dasharray=\"2 4\" d=\"M\(place)H\(end)\"/>")
        y += Layout.gap
      }
      parts += drawing.parts(from: &y, width: width)
    }
    parts += key(y: &y)
    let size = "\(MarbleText.number(width)) \(MarbleText.number(y + Layout.bottom))"
    let name = MarbleText.markup(title)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="100%" role="img" \
      aria-label="\(name)" class="marbles">
      <title>\(name)</title>
      <desc>\(MarbleText.markup(description))</desc>
      <style>
      \(style)
      </style>
      <rect class="page" width="100%" height="100%" rx="8"/>
      <text class="title" x="\(MarbleText.number(Layout.margin))" y="28">\(name)</text>
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
        shape.svg(x: middle, y: y - 4),
        "<text class=\"note\" x=\"\(MarbleText.number(start))\" y=\"\(MarbleText.number(y))\">"
          + "\(text)</text>",
      ]
    }
  }

  // For each hue, a shade that white text is readable on, and for dark mode one that black text is
  // readable on.
  private static let hues = [
    ("#0c7480", "#43bcc7"), ("#5b6470", "#a9b3bf"), ("#8a4b33", "#d8a08a"),
    ("#7a6400", "#d9bf4a"), ("#2563c9", "#7aa9f8"), ("#b4540a", "#f0995a"),
    ("#1e7a46", "#5fc78a"), ("#8142cc", "#bd96f5"), ("#b8256f", "#f07fbf"),
  ]

  /// Returns the hue of a text.
  ///
  /// Equal texts have the same hue, and consecutive digits and letters have different ones.
  static func hue(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { ($0 + Int($1.value)) % hues.count }
  }

  /// The style, with the hues that the picture uses.
  private var style: String {
    let symbols = panels.flatMap { panel in
      (panel.sources + panel.results).flatMap(\.shapes).compactMap { shape in
        if case .marble(let text) = shape.form { text } else { nil }
      } + panel.legend.keys
    }
    let present = Set(symbols.map(Self.hue)).sorted()
    func list(_ shade: (Int) -> String) -> String { present.map(shade).joined(separator: " ") }
    return """
      .marbles { --page: #ffffff; --text: #1c2024; --note: #5c646e; --line: #8b929c;
        --axis: #d5d9de; --box: #f1f3f6; --on: #ffffff; --failure: #b3261e;
        \(list { "--\($0): \(Self.hues[$0].0);" }) }
      @media (prefers-color-scheme: dark) {
        .marbles { --page: #15181c; --text: #eceff3; --note: #a3acb8; --line: #8d96a2;
          --axis: #363d46; --box: #22272d; --on: #101215; --failure: #ff8a80;
          \(list { "--\($0): \(Self.hues[$0].1);" }) } }
      \(Self.rules)
      \(list { ".marbles .h\($0) { fill: var(--\($0)); }" })
      """
  }

  private static let rules = """
    .marbles text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      fill: var(--text); }
    .marbles .title { font-size: 16px; font-weight: 600; }
    .marbles .code, .marbles .sign { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono",
      monospace; font-size: 12.5px; white-space: pre; }
    .marbles .sign { font-weight: 600; text-anchor: middle; fill: var(--on); }
    .marbles .note, .marbles .missed .sign, .marbles .request .sign { fill: var(--note); }
    .marbles path { fill: none; stroke: var(--line); stroke-width: 1.5; }
    .marbles .page { fill: var(--page); }
    .marbles .box { fill: var(--box); stroke: var(--axis); }
    .marbles .axis { stroke: var(--axis); }
    .marbles .end { stroke: var(--text); stroke-width: 3; }
    .marbles .failure { stroke: var(--failure); stroke-width: 3; }
    .marbles .begin { fill: var(--line); }
    .marbles .cancel { fill: var(--page); }
    .marbles .missed rect, .marbles .request rect { fill: var(--page); stroke: var(--line);
      stroke-width: 1.5; }
    .marbles .missed rect, .marbles .missed path { stroke: var(--line); stroke-dasharray: 2 2; }
    """
}
