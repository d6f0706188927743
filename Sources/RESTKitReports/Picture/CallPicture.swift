import RESTKit

/// A picture of calls: a bar for each request along one time axis, divided into its phases.
///
/// ```swift
/// let transport = ObservedTransport(.shared)
/// transport.callLogs.collect(3).sink { logs in save(CallPicture(logs).html) }
/// ```
///
/// It shows no more than the texts of the logs: no header's value, no query, no token and no body.
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

  /// The logs.
  ///
  /// If there are several, each follows a line with its start time.
  private var text: String {
    guard logs.count > 1, let begin = logs.first?.start else {
      return logs.first?.description ?? ""
    }
    return logs.enumerated().map { index, log in
      "Call \(index + 1), from \((log.start - begin).shortText)\n\(log)"
    }.joined(separator: "\n\n")
  }
}

extension CallPicture: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The picture in words, with a line for each bar.
  public var description: String { chart.text }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, unlabeledChildren: logs) }
}
