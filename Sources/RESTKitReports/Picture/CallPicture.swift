import RESTKit

/// A picture of calls: each request a bar, along one axis of time, with where the time went.
///
/// ```swift
/// let transport = ObservedTransport(.shared)
/// transport.callLogs.collect(3).sink { logs in save(CallPicture(logs).html) }
/// ```
///
/// It shows no more than the logs' texts: no header's value, no query, no token, no body.
public struct CallPicture: Sendable {
  private let logs: [CallLog]
  private let chart: CallChart

  /// - Parameters:
  ///   - logs: The calls, timed by one clock.
  ///   - title: What stands above; by default the first request, and the time of all.
  public init(_ logs: [CallLog], title: String? = nil) {
    self.logs = logs.sorted { $0.start < $1.start }
    chart = CallChart(self.logs, title: title)
  }

  /// An SVG document, as wide as the place it is put in.
  ///
  /// It needs nothing else, follows the reader's choice of light or dark, and has the same as text for
  /// who cannot see it. It has the light look in viewers that know no variables of CSS.
  public var svg: String { chart.svg }

  /// An HTML page of that picture and the logs.
  public var html: String { chart.html(log: text) }

  /// The logs; where there are several, each under a line that says when it began.
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
  /// The picture in words: a line for each bar.
  public var description: String { chart.text }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, unlabeledChildren: logs) }
}
