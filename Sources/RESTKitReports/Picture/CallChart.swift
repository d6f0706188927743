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
  var length: Duration {
    max(rows.flatMap(\.spans).map(\.end).max() ?? .zero, .microseconds(1))
  }

  /// The phases that occur in the chart, in the order of an exchange.
  var phases: [Phase] {
    let present = Set(rows.flatMap(\.spans).map(\.phase))
    return Phase.allCases.filter(present.contains)
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
    }.joined(separator: "\n")
  }
}
