import RESTKit

/// A picture of calls: a bar for each request along one time axis, divided into its phases.
///
/// ```swift
/// let transport = ObservedTransport(.shared)
/// transport.callLogs.collect(3).sink { logs in save(CallPicture(logs).html) }
/// ```
///
/// It shows no more than the texts of the logs: no header's value, no query, no token and no body.
///
/// Up to 3,000 rows are drawn, one for each request, wait and refresh. Of more, the first 1,000 and
/// the last 2,000 are, and a row between them says how many are left out. The texts of ``html``
/// leave out calls in the same way. To see the others, make pictures of fewer logs.
public struct CallPicture: Sendable {
  private let logs: [CallLog]
  private let chart: CallChart

  /// - Parameters:
  ///   - logs: The calls, timed by one clock.
  ///   - title: The title; by default the first request and the total time.
  public init(_ logs: [CallLog], title: String? = nil) {
    self.logs = logs.sorted { $0.start < $1.start }
    chart = CallChart(self.logs, title: title)
  }

  /// The picture as an SVG document, as wide as its container.
  ///
  /// The document is self-contained and follows the reader's light or dark mode. Viewers without
  /// CSS variables show the light mode. It also contains the picture as text, for readers who
  /// cannot see it.
  public var svg: String { chart.svg }

  /// The picture and the logs as an HTML page.
  public var html: String { chart.html(log: text) }

  private enum Line {
    case call(number: Int, CallLog)
    case leftOut(Int)
  }

  /// The logs.
  ///
  /// If there are several, each follows a line with its start time.
  private var text: String {
    guard logs.count > 1, let begin = logs.first?.start else {
      return logs.first?.description ?? ""
    }
    return logs.enumerated().map { Line.call(number: $0 + 1, $1) }
      .leavingOut { .leftOut($0.count) }
      .map { line in
        switch line {
        case .call(let number, let log):
          "Call \(number), from \((log.start - begin).shortText)\n\(log)"
        case .leftOut(let count): "\(count) calls are left out"
        }
      }.joined(separator: "\n\n")
  }
}

extension CallPicture: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The picture in words, with a line for each bar.
  public var description: String { chart.text }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, unlabeledChildren: logs) }
}
