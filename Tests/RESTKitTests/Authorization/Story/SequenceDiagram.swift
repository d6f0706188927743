/// Who told whom what, and when: as Mermaid text, which Markdown viewers draw.
struct SequenceDiagram {
  private struct Arrow {
    let time: Duration
    let text: String
  }

  let lanes: [String]
  private var arrows: [Arrow] = []

  init(lanes: [String]) {
    self.lanes = lanes
  }

  mutating func add(_ time: Duration, from sender: String, to receiver: String, _ text: String) {
    arrows.append(Arrow(time: time, text: "\(sender)->>\(receiver): \(text)"))
  }

  /// The diagram: arrows in the order of their times, with a note for each millisecond.
  var mermaid: String {
    var lines = ["sequenceDiagram"] + lanes.map { "  participant \($0)" }
    var last: Int?
    for arrow in arrows.sorted(by: { $0.time < $1.time }) {
      let time = Int(arrow.time / .milliseconds(1))
      if time != last {
        lines.append("  Note over \(lanes.first ?? ""),\(lanes.last ?? ""): \(time) ms")
      }
      last = time
      lines.append("  \(arrow.text)")
    }
    return lines.joined(separator: "\n")
  }
}
