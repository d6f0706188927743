import Fixtures

@testable import RESTKit
@testable import RESTKitReports

/// A diagram of messages between subjects over time, as a picture and as text.
struct SequenceDiagram {
  private struct Arrow {
    let time: Duration
    let sender: Int
    let receiver: Int
    let text: String
    /// The subject of the arrow.
    ///
    /// Each subject has a hue.
    let subject: String

    var milliseconds: Int { Int(time / .milliseconds(1)) }
  }

  let title: String
  let lanes: [String]
  private var arrows: [Arrow] = []

  init(title: String, lanes: [String]) {
    self.title = title
    self.lanes = lanes
  }

  /// Adds an arrow between two of the lanes; one that leads elsewhere is left out.
  mutating func add(
    _ time: Duration, from sender: String, to receiver: String, of subject: String, _ text: String
  ) {
    guard let sender = lanes.firstIndex(of: sender), let receiver = lanes.firstIndex(of: receiver)
    else { return }
    arrows.append(
      Arrow(time: time, sender: sender, receiver: receiver, text: text, subject: subject))
    arrows.sort { $0.time < $1.time }
  }
}

extension SequenceDiagram: CustomStringConvertible {
  /// A line for each arrow, such as `20 ms, API to app: orders: 401`.
  var description: String {
    arrows.map { arrow in
      "\(arrow.milliseconds) ms, \(lanes[arrow.sender]) to \(lanes[arrow.receiver]): \(arrow.text)"
    }.joined(separator: "\n")
  }
}

extension SequenceDiagram {
  private enum Layout {
    static let top = 78
    /// From the top of a row to the first line of its label.
    static let label = 13
    static let line = 14
    /// From the last line of a label to its arrow, and from there to the next row.
    static let arrow = 6
    static let rest = 11
    static let lanes = (first: 60, last: 348)
    /// The space between a label and the lanes beside it.
    static let inset = 5.0
    /// The width of a letter, on average, in fonts that are wide.
    static let letter = 6.1
  }

  /// The lines of a label, none wider than the way between its lanes.
  private func lines(of arrow: Arrow) -> [String] {
    let length = abs(place(of: arrow.receiver) - place(of: arrow.sender))
    let room = Int((Double(length) - 2 * Layout.inset) / Layout.letter)
    return arrow.text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= room {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }

  private func height(of arrow: Arrow) -> Int {
    Layout.label + (lines(of: arrow).count - 1) * Layout.line + Layout.arrow + Layout.rest
  }

  /// The picture, as an SVG document that follows the reader's choice of light or dark.
  ///
  /// The colors of the light look are attributes, too: some viewers know no variables of CSS.
  var svg: String {
    let bottom = arrows.reduce(Layout.top) { $0 + height(of: $1) }
    let heads = lanes.enumerated().map { index, lane in
      """
      <path class="lane" d="M\(place(of: index)) 64V\(bottom + 8)" stroke="#c2c8d0"/>
      <text class="name" x="\(place(of: index))" y="56" font-weight="600" text-anchor="middle">\
      \(lane.markup)</text>
      """
    }
    var y = Layout.top
    let rows = arrows.enumerated().map { index, arrow in
      defer { y += height(of: arrow) }
      let isNewMoment = index == 0 || arrows[index - 1].milliseconds != arrow.milliseconds
      return (isNewMoment ? moment(arrow, y: y) + "\n" : "") + draw(arrow, y: y)
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 \(bottom + 22)" width="100%" \
      role="img" aria-label="\(title)" class="sequence" fill="#1c2024" font-family="sans-serif" \
      font-size="12" stroke-width="1.5">
      <title>\(title)</title>
      <desc>\(description.markup)</desc>
      <style>
      \(Self.style)
      </style>
      <rect class="page" width="100%" height="100%" rx="8" fill="#ffffff"/>
      <text class="title" x="14" y="28" font-size="16" font-weight="600">\(title)</text>
      \((heads + rows).joined(separator: "\n"))
      </svg>

      """
  }

  private func place(of lane: Int) -> Int {
    let (first, last) = Layout.lanes
    return first + lane * (last - first) / Swift.max(lanes.count - 1, 1)
  }

  private func moment(_ arrow: Arrow, y: Int) -> String {
    """
    <path class="moment" d="M14 \(y - 5)H386" stroke="#e6e9ed" stroke-width="1"/>
    <text class="time" x="14" y="\(y + 12)" fill="#5c646e">\(arrow.milliseconds) ms</text>
    """
  }

  private func draw(_ arrow: Arrow, y: Int) -> String {
    let (start, end) = (place(of: arrow.sender), place(of: arrow.receiver))
    let head = start < end ? "m-6-4 6 4-6 4" : "m6-4-6 4 6 4"
    let subjects = arrows.map(\.subject).reduce(into: [String]()) { subjects, subject in
      if !subjects.contains(subject) { subjects.append(subject) }
    }
    let hue = subjects.firstIndex(of: arrow.subject) ?? 0
    let color = Self.hues[hue % Self.hues.count].light
    let lines = lines(of: arrow).enumerated().map { index, line in
      let baseline = y + Layout.label + index * Layout.line
      return """
        <text x="\(Swift.min(start, end) + Int(Layout.inset))" y="\(baseline)">\(line.markup)</text>
        """
    }
    let place = y + height(of: arrow) - Layout.rest
    return """
      <g class="h\(hue)" fill="\(color)">\
      <path d="M\(start) \(place)H\(end)\(head)" fill="none" stroke="\(color)"/>\
      \(lines.joined())</g>
      """
  }

  private static let hues: [(light: String, dark: String)] = [
    ("#2563c9", "#7aa9f8"), ("#8142cc", "#bd96f5"), ("#5c646e", "#a9b3bf"), ("#1e7a46", "#5fc78a"),
  ]

  private static func hues(_ shade: ((light: String, dark: String)) -> String) -> String {
    hues.enumerated().map { "--\($0): \(shade($1));" }.joined(separator: " ")
  }

  private static let style = """
    .sequence { --page: #ffffff; --text: #1c2024; --note: #5c646e; --lane: #c2c8d0; --moment: #e6e9ed;
      \(hues(\.light)) }
    @media (prefers-color-scheme: dark) {
      .sequence { --page: #15181c; --text: #eceff3; --note: #a3acb8; --lane: #49515b;
        --moment: #262b31; \(hues(\.dark)) } }
    .sequence text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
    .sequence .title, .sequence .name { fill: var(--text); }
    .sequence .time { fill: var(--note); font-variant-numeric: tabular-nums; }
    .sequence .page { fill: var(--page); }
    .sequence .lane { stroke: var(--lane); }
    .sequence .moment { stroke: var(--moment); }
    \(hues.indices.map { hue in
      """
      .sequence .h\(hue) path { stroke: var(--\(hue)); }
      .sequence .h\(hue) text { fill: var(--\(hue)); }
      """
    }.joined(separator: "\n"))
    """
}
