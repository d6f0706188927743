import Foundation
import RESTKit

extension CallChart {
  /// - Parameter logs: The logs, in the order in which the calls began.
  init(_ logs: [CallLog], title: String?) {
    let begin = logs.first?.start ?? .zero
    // Calls may run at the same time; the rows are in the order of their beginnings.
    let rows = logs.flatMap { log in
      var builder = CallRows(offset: log.start - begin)
      for event in log.events { builder.add(event) }
      return builder.rows
    }
    .sorted { ($0.spans.first?.start ?? .zero) < ($1.spans.first?.start ?? .zero) }
    let end = logs.map { $0.start - begin + $0.duration }.max() ?? .zero
    let name = rows.first?.label.cut(to: 26) ?? "No call"
    self.init(
      title: title ?? "\(name), \(end.shortText) in all",
      rows: rows.leavingOut(Self.leftOut))
  }

  /// Returns the row that stands for rows that are not drawn.
  private static func leftOut(_ rows: ArraySlice<Row>) -> Row {
    let spans = rows.lazy.flatMap(\.spans)
    let start = spans.first?.start ?? .zero
    let end = spans.reduce(start) { max($0, $1.end) }
    return Row(
      label: "\(rows.count) rows are left out",
      spans: [.init(phase: .omitted, start: start, end: end)])
  }
}

extension Array {
  /// Returns at most 3,001 elements: beyond 3,000, one stands for those between the first 1,000 and
  /// the last 2,000.
  ///
  /// A browser shows that many rows at once, and a reader does not look at more of them.
  func leavingOut(_ substitute: (ArraySlice<Element>) -> Element) -> [Element] {
    guard count > 3_000 else { return self }
    return prefix(1_000) + [substitute(dropFirst(1_000).dropLast(2_000))] + suffix(2_000)
  }
}

/// A builder that makes the rows of one call, event by event.
private struct CallRows {
  private(set) var rows: [CallChart.Row] = []
  /// The time from the beginning of the picture to the beginning of the call.
  let offset: Duration
  private var request: RequestSummary?
  /// The time at which the open request was sent, and the time at which its head arrived.
  private var sent: Duration?
  private var head: Duration?
  private var refresh: Duration?
  /// The time of the previous event.
  private var previous: Duration

  init(offset: Duration) {
    self.offset = offset
    previous = offset
  }

  mutating func add(_ event: CallEvent) {
    let time = offset + event.time
    defer { previous = time }
    switch event.kind {
    case .built(let request), .redirected(let request, _):
      self.request = request
    case .sent(_, let cause):
      sent = time
      rows.append(CallChart.Row(label: label(cause)))
    case .joined(_, let cause):
      sent = time
      rows.append(CallChart.Row(label: "\(label(cause)), joined"))
    case .cache(_, answersCall: true):
      sent = time
      rows.append(CallChart.Row(label: "\(label(.first)), from the cache"))
    case .received(let status, let metrics):
      update { row in
        row.outcome = "\(status)"
        row.isFailure = status >= 400
      }
      if let metrics { close(at: time, metrics) } else { head = time }
    case .transferred(let metrics):
      close(at: time, metrics)
    case .joinedRefresh:
      refresh = time
    case .refreshed(let number):
      rows.append(
        CallChart.Row(
          label: "refresh \(number)",
          spans: [.init(phase: .refresh, start: refresh ?? time, end: time)]))
      refresh = nil
    case .waiting(let wait, let reason, _):
      close(at: time, nil)
      rows.append(
        CallChart.Row(
          label: "waits", outcome: reason.printable,
          spans: [.init(phase: .backoff, start: time, end: time + wait)]))
    case .omitted(_, let requests):
      // The end of the open request is among the omitted events.
      close(at: previous, nil)
      refresh = nil
      // A wait is drawn to its end.
      let start = min(max(previous, rows.last?.spans.last?.end ?? previous), time)
      rows.append(
        CallChart.Row(
          label: "\(requests) requests are left out",
          spans: [.init(phase: .omitted, start: start, end: time)]))
    case .failed: end(at: time, "failed")
    case .cancelled: end(at: time, "cancelled")
    case .ended:
      close(at: time, nil)
    case .cache(_, answersCall: false), .notRetried, .beganAnew, .decoded:
      break
    }
  }

  private func label(_ cause: CallCause) -> String {
    guard let request else { return "request" }
    let words =
      switch cause {
      case .first: ""
      case .retry: ", again"
      case .refresh: ", with a new token"
      case .redirect: ", redirected"
      case .reconnect: ", connected again"
      }
    return "\(request.method) \(request.path)\(words)"
  }

  private mutating func update(_ change: (inout CallChart.Row) -> Void) {
    if let last = rows.indices.last { change(&rows[last]) }
  }

  /// Ends the open request without a response.
  private mutating func end(at time: Duration, _ outcome: String) {
    update { row in
      row.isFailure = true
      // A refused status is already shown as the outcome.
      if row.outcome.isEmpty { row.outcome = outcome }
    }
    close(at: time, nil)
  }

  /// Draws the open request, which has ended.
  private mutating func close(at end: Duration, _ metrics: ExchangeMetrics?) {
    guard let sent else { return }
    let spans = Self.spans(from: sent, head: head, to: end, metrics)
    update { row in
      row.spans = spans
      row.outcome += row.outcome.isEmpty ? "" : " · \((end - sent).shortText)"
    }
    self.sent = nil
    head = nil
  }

  private static func spans(
    from sent: Duration, head: Duration?, to end: Duration, _ metrics: ExchangeMetrics?
  ) -> [CallChart.Span] {
    guard let metrics, metrics.receiving != nil || metrics.waiting != nil else {
      let wait = CallChart.Span(phase: .wait, start: sent, end: head ?? end)
      guard let head, head < end else { return [wait] }
      return [wait, CallChart.Span(phase: .transfer, start: head, end: end)]
    }
    var phases = metrics.phases
    // The transport's times end with the response. The time before them counts as a wait, too.
    let length = phases.reduce(Duration.zero) { $0 + $1.length }
    let early = max(end - length, sent) - sent
    if phases.first?.phase == .queued {
      phases[0].length += early
    } else {
      phases.insert((phase: .queued, length: early), at: 0)
    }
    var spans: [CallChart.Span] = []
    var start = sent
    for (phase, length) in phases {
      let place = min(start + length, end)
      guard place > start else { continue }
      spans.append(CallChart.Span(phase: CallChart.Phase(phase), start: start, end: place))
      start = place
    }
    return spans
  }
}

extension CallChart.Phase {
  fileprivate init(_ phase: ExchangeMetrics.Phase) {
    self =
      switch phase {
      case .queued: .queue
      case .nameLookup: .lookup
      case .connect: .connect
      case .secureConnect: .tls
      case .sending: .send
      case .waiting: .wait
      case .receiving: .transfer
      }
  }
}
