import RESTKit

/// The events of one call or several, as bars along one time axis.
struct CallChart: Sendable {
  /// The phase that a bar shows.
  enum Phase: String, CaseIterable, Sendable {
    case queue = "queued"
    case lookup = "name lookup"
    case connect
    case tls = "TLS"
    case send
    case wait
    case transfer
    case refresh
    case backoff
    case omitted = "left out"
  }

  /// A bar.
  struct Span: Sendable, Equatable {
    let phase: Phase
    let start: Duration
    let end: Duration
  }

  /// A line of text with the bars below it.
  struct Row: Sendable, Equatable {
    let label: String
    var outcome = ""
    var isFailure = false
    var spans: [Span] = []
  }

  let title: String
  let rows: [Row]
  /// The end of the axis, which is never zero.
  let length: Duration
  /// The phases that occur in the chart, in the order of an exchange.
  let phases: [Phase]

  init(title: String, rows: [Row]) {
    self.title = title
    self.rows = rows
    // Once: each bar's place is a fraction of the length.
    var length = Duration.microseconds(1)
    var present: Set<Phase> = []
    for span in rows.lazy.flatMap(\.spans) {
      length = max(length, span.end)
      present.insert(span.phase)
    }
    self.length = length
    phases = Phase.allCases.filter(present.contains)
  }

  /// Round positions on the axis, six at most, starting at zero.
  var ticks: [Duration] {
    let microseconds = length.inMicroseconds
    // 1, 2, 5, 10, 20, 50 …
    var step: Int64 = 1
    var magnitude: Int64 = 1
    while microseconds / step >= 6 {
      switch step / magnitude {
      case 1: step = 2 * magnitude
      case 2: step = 5 * magnitude
      default:
        magnitude *= 10
        step = magnitude
      }
    }
    return (0...max(microseconds, 0) / step).map { .microseconds($0 * step) }
  }

  /// The content of the chart as text, for readers who cannot see it.
  var text: String {
    rows.map { row in
      let spans = row.spans.map { "\($0.phase.rawValue) \(($0.end - $0.start).shortText)" }
      return ([row.label, row.outcome] + spans).filter { !$0.isEmpty }.joined(separator: ", ")
        .printable
    }.joined(separator: "\n")
  }
}

extension CallChart {
  /// A color of the picture, with a shade for the light look and one for the dark look.
  ///
  /// Each shade is a variable of the style sheet. The light shade is also an attribute of each part
  /// of the picture, for viewers that know no variables of CSS.
  enum Color: String, CaseIterable {
    case page, text, note, track, line, failure
    case queue, lookup, connect, tls, send, wait, transfer, refresh, backoff

    var light: String {
      switch self {
      case .page: "#ffffff"
      case .text: "#1c2024"
      case .note: "#5c646e"
      case .track: "#eef0f3"
      case .line: "#d5d9de"
      case .failure: "#b3261e"
      case .queue: "#c2c8d0"
      case .lookup: "#12808a"
      case .connect: "#d0650a"
      case .tls: "#8a4fd0"
      case .send: "#9a7b12"
      case .wait: "#3c9a5f"
      case .transfer: "#2b6cd9"
      case .refresh: "#c0328a"
      case .backoff: "#8b929c"
      }
    }

    var dark: String {
      switch self {
      case .page: "#15181c"
      case .text: "#eceff3"
      case .note: "#a3acb8"
      case .track: "#24292f"
      case .line: "#363d46"
      case .failure: "#ff8a80"
      case .queue: "#59616c"
      case .lookup: "#35b3bd"
      case .connect: "#f0924a"
      case .tls: "#b58af0"
      case .send: "#d3b245"
      case .wait: "#5cc485"
      case .transfer: "#6ba0f7"
      case .refresh: "#ea6dbb"
      case .backoff: "#7d8692"
      }
    }

    /// The attributes of a part that is filled with this color.
    var fill: String { "class=\"\(self)\" fill=\"\(light)\"" }

    /// The variables of all colors.
    static func variables(_ shade: (Color) -> String) -> String {
      allCases.map { "--\($0): \(shade($0));" }.joined(separator: " ")
    }
  }
}

extension CallChart.Phase {
  var color: CallChart.Color {
    switch self {
    case .queue, .omitted: .queue
    case .lookup: .lookup
    case .connect: .connect
    case .tls: .tls
    case .send: .send
    case .wait: .wait
    case .transfer: .transfer
    case .refresh: .refresh
    case .backoff: .backoff
    }
  }
}
