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
  private static let row = 30
  private static let top = 78

  /// The picture, as an SVG document that follows the reader's choice of light or dark.
  var svg: String {
    let bottom = Self.top + arrows.count * Self.row
    let heads = lanes.enumerated().map { index, lane in
      """
      <path class="lane" d="M\(place(of: index)) 64V\(bottom + 8)"/>
      <text class="name" x="\(place(of: index))" y="56">\(lane.markup)</text>
      """
    }
    let rows = arrows.enumerated().map { index, arrow in
      let y = Self.top + index * Self.row
      let isNewMoment = index == 0 || arrows[index - 1].milliseconds != arrow.milliseconds
      return (isNewMoment ? moment(arrow, y: y) + "\n" : "") + draw(arrow, y: y)
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 \(bottom + 22)" width="100%" \
      role="img" aria-label="\(title)" class="sequence">
      <title>\(title)</title>
      <desc>\(description.markup)</desc>
      <style>
      \(Self.style)
      </style>
      <rect class="page" width="100%" height="100%" rx="8"/>
      <text class="title" x="14" y="28">\(title)</text>
      \((heads + rows).joined(separator: "\n"))
      </svg>

      """
  }

  private func place(of lane: Int) -> Int { 80 + lane * 270 / Swift.max(lanes.count - 1, 1) }

  private func moment(_ arrow: Arrow, y: Int) -> String {
    """
    <path class="moment" d="M14 \(y - 5)H386"/>
    <text class="time" x="14" y="\(y + 12)">\(arrow.milliseconds) ms</text>
    """
  }

  private func draw(_ arrow: Arrow, y: Int) -> String {
    let (start, end) = (place(of: arrow.sender), place(of: arrow.receiver))
    let head = start < end ? "m-6-4 6 4-6 4" : "m6-4-6 4 6 4"
    let subjects = arrows.map(\.subject).reduce(into: [String]()) { subjects, subject in
      if !subjects.contains(subject) { subjects.append(subject) }
    }
    let hue = subjects.firstIndex(of: arrow.subject) ?? 0
    return """
      <g class="h\(hue)"><path d="M\(start) \(y + 19)H\(end)\(head)"/>\
      <text x="\(Swift.min(start, end) + 6)" y="\(y + 13)">\(arrow.text.markup)</text></g>
      """
  }

  private static let style = """
    .sequence { --page: #ffffff; --text: #1c2024; --note: #5c646e; --lane: #c2c8d0; --moment: #e6e9ed;
      --0: #2563c9; --1: #8142cc; --2: #5c646e; --3: #1e7a46; }
    @media (prefers-color-scheme: dark) {
      .sequence { --page: #15181c; --text: #eceff3; --note: #a3acb8; --lane: #49515b;
        --moment: #262b31; --0: #7aa9f8; --1: #bd96f5; --2: #a9b3bf; --3: #5fc78a; } }
    .sequence text { font: 12.5px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans",
      sans-serif; fill: var(--text); }
    .sequence .title { font-size: 16px; font-weight: 600; }
    .sequence .name { font-weight: 600; text-anchor: middle; }
    .sequence .time { fill: var(--note); font-variant-numeric: tabular-nums; }
    .sequence .page { fill: var(--page); }
    .sequence path { fill: none; stroke-width: 1.5; }
    .sequence .lane { stroke: var(--lane); }
    .sequence .moment { stroke: var(--moment); stroke-width: 1; }
    .sequence g text { stroke: var(--page); stroke-width: 4; paint-order: stroke; }
    \((0..<4).map { hue in
      """
      .sequence .h\(hue) path { stroke: var(--\(hue)); }
      .sequence .h\(hue) text { fill: var(--\(hue)); }
      """
    }.joined(separator: "\n"))
    """
}
