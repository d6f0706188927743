import Fixtures
import Foundation
import RESTKit
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit
@testable import RESTKitReports

@Suite("The parts of a picture of calls")
struct CallChartTests {
  private let clock = TestScheduler()

  private func call(_ path: String = "/me") -> LogicalCall {
    let call = LogicalCall(clock: clock)
    let url = URL(string: "https://h.example\(path)")
    call.journal.record(.built(RequestSummary(method: .get, url: url)))
    return call
  }

  private func chart(_ call: LogicalCall) -> CallChart {
    CallChart([call.journal.log], title: nil)
  }

  /// A stretch of time, in milliseconds.
  private func span(_ phase: CallChart.Phase, _ start: Int, _ end: Int) -> CallChart.Span {
    CallChart.Span(phase: phase, start: .milliseconds(start), end: .milliseconds(end))
  }

  private func pass(_ milliseconds: Int) {
    clock.advance(by: .milliseconds(milliseconds))
  }

  @Test("A status is a failure from 400 on", arguments: [(399, false), (400, true)])
  func failures(status: Int, isFailure: Bool) {
    let call = call()
    call.journal.record(.sent(attempt: 1, cause: .first))
    call.journal.record(.received(status: status, metrics: nil))
    #expect(chart(call).rows.map(\.isFailure) == [isFailure])
  }

  @Test("A request that joined another call's exchange has a row that says so")
  func joined() {
    let call = call()
    call.journal.record(.joined(attempt: 1, cause: .first))
    pass(5)
    call.journal.record(.received(status: 200, metrics: nil))
    call.journal.end()
    let rows = chart(call).rows
    #expect(rows.map(\.label) == ["GET /me, joined"])
    #expect(rows.map(\.spans) == [[span(.wait, 0, 5)]])
  }

  @Test("Without the transport's times a request has the wait for the head, and the transfer")
  func pieces() {
    let call = call()
    call.journal.record(.sent(attempt: 1, cause: .first))
    pass(10)
    call.journal.record(.received(status: 200, metrics: nil))
    pass(10)
    call.journal.record(.transferred(metrics: nil))
    call.journal.record(.sent(attempt: 2, cause: .retry))
    pass(5)
    call.journal.record(.failed("broken"))
    let rows = chart(call).rows
    #expect(
      rows.map(\.spans) == [[span(.wait, 0, 10), span(.transfer, 10, 20)], [span(.wait, 20, 25)]])
    #expect(rows.map(\.isFailure) == [false, true])
  }

  @Test("A wait for a retry ends the request before it")
  func waiting() {
    let call = call()
    call.journal.record(.sent(attempt: 1, cause: .first))
    pass(5)
    call.journal.record(.received(status: 503, metrics: nil))
    call.journal.record(.waiting(.milliseconds(10), because: "busy", budget: nil))
    let rows = chart(call).rows
    #expect(rows.map(\.outcome) == ["503 · 5.0 ms", "busy"])
    #expect(rows.map(\.spans) == [[span(.wait, 0, 5)], [span(.backoff, 5, 15)]])
  }

  @Test("A refresh without a visible wait does not begin with the refresh before it")
  func refreshes() {
    let call = call()
    call.journal.record(.joinedRefresh(1))
    pass(10)
    call.journal.record(.refreshed(1))
    pass(20)
    call.journal.record(.refreshed(2))
    #expect(
      chart(call).rows.map(\.spans) == [[span(.refresh, 0, 10)], [span(.refresh, 30, 30)]])
  }

  @Test("A gap ends the running spans, at their last known time")
  func gap() {
    let call = call()
    call.journal.record(.joinedRefresh(7))
    for _ in 3...62 { call.journal.record(.notRetried(because: "")) }
    pass(5)
    call.journal.record(.sent(attempt: 1, cause: .first))
    pass(5)
    // The last one that is kept before the gap.
    call.journal.record(.notRetried(because: ""))
    pass(10)
    for _ in 1...300 { call.journal.record(.notRetried(because: "")) }
    pass(10)
    call.journal.record(.refreshed(7))
    let rows = chart(call).rows
    #expect(rows.map(\.label) == ["GET /me", "0 requests are left out", "refresh 7"])
    #expect(
      rows.map(\.spans) == [
        [span(.wait, 5, 10)], [span(.omitted, 10, 20)], [span(.refresh, 30, 30)],
      ])
  }

  @Test("The title has 26 characters of the first request")
  func title() {
    let call = call("/" + String(repeating: "a", count: 40))
    call.journal.record(.sent(attempt: 1, cause: .first))
    let title = chart(call).title
    #expect(title.prefix { $0 != "," }.count == 26)
    #expect(title.hasSuffix(", 0.00 ms in all"))
  }

  @Test(
    "A line of the legend has three phases",
    arguments: [(1, 166), (3, 166), (4, 188), (6, 188), (7, 210)])
  func legend(count: Int, height: Int) {
    let spans = CallChart.Phase.allCases.prefix(count).map { span($0, 0, 1) }
    let chart = CallChart(title: "", rows: [CallChart.Row(label: "", spans: spans)])
    #expect(chart.svg.contains("viewBox=\"0 0 400 \(height)\""))
  }

  @Test("An outcome is cut to 24 characters")
  func outcome() {
    let row = CallChart.Row(label: "", outcome: String(repeating: "b", count: 30))
    let shown = CallChart(title: "", rows: [row]).svg.matches(of: />(b+…b+)</).map { $0.1.count }
    #expect(shown == [24])
  }

  @Test("A bar at the end of the axis is visible, and does not exceed it")
  func lastBar() {
    let chart = CallChart(
      title: "",
      rows: [
        CallChart.Row(label: "", spans: [span(.wait, 0, 100)]),
        CallChart.Row(label: "", spans: [span(.refresh, 100, 100)]),
      ])
    #expect(chart.svg.contains("<rect class=\"refresh\" fill=\"#c0328a\" x=\"96.53%\""))
    #expect(chart.svg.contains("width=\"0.47%\""))
  }

  /// Logs of calls with one request each, a millisecond apart.
  private func logs(_ count: Int) -> [CallLog] {
    (1...count).map { number in
      let call = call("/\(number)")
      call.journal.record(.sent(attempt: 1, cause: .first))
      pass(1)
      call.journal.record(.received(status: 200, metrics: nil))
      call.journal.end()
      return call.journal.log
    }
  }

  @Test("Up to 3,000 rows are drawn; of more, the first 1,000, the last 2,000 and a row between")
  func leftOut() {
    let logs = logs(3_005)
    let all = CallPicture(Array(logs.prefix(3_000)))
    #expect(all.svg.matches(of: /class="wait"[^>]*><title>/).count == 3_000)
    #expect(!all.html.contains("left out"))

    let rows = CallChart(logs, title: nil).rows
    #expect(rows.count == 3_001)
    #expect(rows[999].label == "GET /1000")
    #expect(rows[1_000].label == "5 rows are left out")
    #expect(rows[1_000].spans == [span(.omitted, 1_000, 1_005)])
    #expect(rows[1_001].label == "GET /1006")
    let cut = CallPicture(logs)
    #expect(cut.svg.contains(">5 rows are left out<title>"))
    let page = cut.html
    #expect(page.contains("<p>5 calls are left out</p>"))
    #expect(page.contains("<p>Call 1000, from"))
    #expect(!page.contains("<p>Call 1001,") && page.contains("<p>Call 1006,"))
    #expect(Mirror(reflecting: cut).children.count == 3_005)
  }

  @Test("A chart of thirty thousand rows takes linear time", .timeLimit(.minutes(10)))
  func linear() {
    let row = CallChart.Row(label: "GET /me", spans: [span(.wait, 0, 1)])
    // With a look at all rows for each of them, it would take an hour.
    let chart = CallChart(title: "", rows: Array(repeating: row, count: 30_000))
    #expect(chart.svg.utf8.count > 10_000_000)
  }

  @Test("An axis without bars has a length")
  func noBars() {
    #expect(CallChart(title: "", rows: []).length == .microseconds(1))
  }

  @Test("An axis that would have seven places has fewer", arguments: [6, 6_000])
  func ticks(microseconds: Int) {
    let span = CallChart.Span(phase: .wait, start: .zero, end: .microseconds(microseconds))
    let chart = CallChart(title: "", rows: [CallChart.Row(label: "", spans: [span])])
    #expect(chart.ticks.count == 4)
    #expect(chart.ticks.last == .microseconds(microseconds))
  }

  @Test("A single call has no number")
  func single() {
    let call = call()
    call.journal.end()
    let log = call.journal.log
    #expect(!CallPicture([log]).html.contains("Call 1"))
    #expect(CallPicture([log, log]).html.contains("Call 2"))
  }

  @Test("Markup is escaped, and characters that XML forbids are replaced")
  func markup() {
    #expect(
      "<a b=\"c&d\">\u{1B}\u{FFFE}\u{FFFF}\né".markup
        == "&lt;a b=&quot;c&amp;d&quot;&gt;\u{FFFD}\u{FFFD}\u{FFFD}\né")
  }
}
