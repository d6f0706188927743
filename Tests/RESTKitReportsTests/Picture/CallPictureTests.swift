import Fixtures
import Foundation
import RESTKit
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationXML)
  import FoundationXML
#endif

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A picture of a call")
struct CallPictureTests {
  private typealias Span = CallChart.Span

  private let clock = TestScheduler()

  private func call(_ path: String = "https://h.example/me") -> LogicalCall {
    let call = LogicalCall(clock: clock)
    call.journal.record(.built(RequestSummary(method: .get, url: URL(string: path))))
    return call
  }

  private func send(_ call: LogicalCall, because cause: CallCause? = nil) {
    call.beginExchange(isRedirected: false, repetition: cause)
  }

  private func milliseconds(_ count: Double) -> Duration { .microseconds(Int64(count * 1_000)) }

  private func rows(_ calls: LogicalCall...) -> [CallChart.Row] {
    CallChart(calls.map(\.journal.log), title: nil).rows
  }

  @Test("A new connection shows where the time went, and a kept one shows only the wait")
  func phases() throws {
    let call = call()
    send(call)
    clock.advance(by: milliseconds(20))
    call.journal.record(
      .received(
        status: 401,
        metrics: ExchangeMetrics(
          queued: milliseconds(1), nameLookup: milliseconds(1), connect: milliseconds(2),
          secureConnect: milliseconds(5), sending: milliseconds(1), waiting: milliseconds(4),
          receiving: milliseconds(2), total: milliseconds(16))))
    send(call, because: .refresh)
    clock.advance(by: milliseconds(4))
    call.journal.record(
      .received(
        status: 200,
        metrics: ExchangeMetrics(
          queued: .zero, nameLookup: .zero, connect: .zero, secureConnect: .zero, sending: .zero,
          waiting: milliseconds(3), receiving: milliseconds(1), total: milliseconds(4))))
    let rows = rows(call)
    #expect(rows.map(\.label) == ["GET /me", "GET /me, with a new token"])
    #expect(rows.map(\.outcome) == ["401 · 20 ms", "200 · 4.0 ms"])
    #expect(rows.map(\.isFailure) == [true, false])
    func span(_ phase: CallChart.Phase, _ start: Double, _ end: Double) -> Span {
      Span(phase: phase, start: milliseconds(start), end: milliseconds(end))
    }
    #expect(
      rows[0].spans == [
        span(.queue, 0, 5), span(.lookup, 5, 6), span(.connect, 6, 8), span(.tls, 8, 13),
        span(.send, 13, 14), span(.wait, 14, 18), span(.transfer, 18, 20),
      ])
    #expect(rows[1].spans == [span(.wait, 20, 23), span(.transfer, 23, 24)])
  }

  @Test("If a transport reports only some times, the others take none")
  func someTimes() throws {
    let call = call()
    send(call)
    clock.advance(by: milliseconds(20))
    call.journal.record(
      .received(
        status: 200,
        metrics: ExchangeMetrics(receiving: milliseconds(2), total: milliseconds(15))))
    #expect(rows(call)[0].spans.map(\.phase) == [.queue, .wait, .transfer])
    #expect(rows(call)[0].spans.map(\.end) == [5, 18, 20].map(milliseconds))
  }

  @Test("A response in pieces ends with its last piece, whose times count")
  func pieces() throws {
    let call = call()
    send(call)
    clock.advance(by: milliseconds(10))
    call.journal.record(.received(status: 200, metrics: nil))
    clock.advance(by: milliseconds(10))
    call.journal.record(
      .transferred(
        metrics: ExchangeMetrics(receiving: milliseconds(10), total: milliseconds(20))))
    let rows = rows(call)
    #expect(rows.map(\.outcome) == ["200 · 20 ms"])
    #expect(rows[0].spans.map(\.phase) == [.wait, .transfer])
  }

  @Test("A refresh that began before the observation has no length")
  func lateRefresh() {
    let call = call()
    clock.advance(by: milliseconds(10))
    call.journal.record(.refreshed(3))
    let span = Span(phase: .refresh, start: milliseconds(10), end: milliseconds(10))
    #expect(rows(call).map(\.spans) == [[span]])
  }

  @Test("A refresh, a backoff and a failure have their own bars")
  func decisions() throws {
    let call = call()
    call.journal.record(.joinedRefresh(3))
    clock.advance(by: milliseconds(10))
    call.journal.record(.refreshed(3))
    send(call)
    clock.advance(by: milliseconds(5))
    let fault = TransportError(kind: .timedOut, mayHaveBeenProcessed: true)
    call.journal.record(RESTError(fault, request: RequestSummary(method: .get, url: nil)))
    call.journal.record(.waiting(milliseconds(100), because: "timedOut", budget: 1))
    clock.advance(by: milliseconds(100))
    send(call, because: .retry)
    clock.advance(by: milliseconds(5))
    call.journal.end(isCancelled: true)
    let rows = rows(call)
    #expect(rows.map(\.label) == ["refresh 3", "GET /me", "waits", "GET /me, again"])
    #expect(
      rows.map(\.outcome) == ["", "failed · 5.0 ms", "timedOut", "cancelled · 5.0 ms"])
    #expect(rows.map { $0.spans.map(\.phase) } == [[.refresh], [.wait], [.backoff], [.wait]])
    #expect(rows[2].spans[0].end - rows[2].spans[0].start == milliseconds(100))
  }

  @Test("Rows of concurrent calls are in the order in which they began")
  func sideBySide() throws {
    clock.advance(by: milliseconds(7))
    let first = call()
    send(first)
    clock.advance(by: milliseconds(5))
    let second = call("https://h.example/other")
    send(second)
    clock.advance(by: milliseconds(5))
    first.journal.record(.received(status: 200, metrics: nil))
    first.journal.end()
    second.journal.record(.received(status: 200, metrics: nil))
    second.journal.end()
    let chart = CallChart([first.journal.log, second.journal.log], title: nil)
    #expect(chart.rows.map(\.label) == ["GET /me", "GET /other"])
    #expect(chart.rows[1].spans.first?.start == milliseconds(5))
    #expect(chart.title == "GET /me, 10 ms in all")
    #expect(CallChart([first.journal.log], title: "Mine").title == "Mine")
    let page = CallPicture([second.journal.log, first.journal.log]).html
    #expect(page.contains("<p>Call 1, from 0.00 ms</p>"))
    #expect(page.contains("<p>Call 2, from 5.0 ms</p>"))
  }

  @Test(
    "The axis has round places, six at most",
    arguments: [
      (1, ["0.00 ms"]), (5, ["0.00 ms", "0.00 ms", "0.00 ms", "0.00 ms", "0.00 ms", "0.00 ms"]),
      (1_000, ["0.00 ms", "0.20 ms", "0.40 ms", "0.60 ms", "0.80 ms", "1.0 ms"]),
      (14_000, ["0.00 ms", "5.0 ms", "10 ms"]),
      (9_999_999, ["0.00 ms", "2.0 s", "4.0 s", "6.0 s", "8.0 s"]),
    ])
  func ticks(microseconds: Int, expected: [String]) {
    let span = Span(phase: .wait, start: .zero, end: .microseconds(microseconds))
    let chart = CallChart(title: "", rows: [CallChart.Row(label: "", spans: [span])])
    #expect(chart.ticks.count <= 6)
    if microseconds > 1 { #expect(chart.ticks.map(\.shortText) == expected) }
  }

  @Test("The SVG and the page are well formed, with any name of a call")
  func wellFormed() throws {
    let hostile = "https://h.example/%3Cscript%3E&'\";--\u{1F600}"
    let call = LogicalCall(clock: clock)
    call.journal.record(
      .built(RequestSummary(method: HTTPMethod("<b>\"&'\u{1B}"), url: URL(string: hostile))))
    send(call)
    clock.advance(by: milliseconds(3))
    call.journal.record(.failed("</desc><script>alert(1)</script>\u{0}"))
    call.journal.end()
    for title in [nil, "<script>\"&"] {
      let picture = CallPicture([call.journal.log], title: title)
      try #require(XMLParser(data: Data(picture.svg.utf8)).parse())
      #expect(!picture.html.contains("<script"))
      #expect(!picture.svg.contains("<script"))
    }
    let empty = CallPicture([])
    try #require(XMLParser(data: Data(empty.svg.utf8)).parse())
    #expect(empty.html.contains("No call"))
  }

  @Test("A picture has a text alternative")
  func text() throws {
    let call = call()
    send(call)
    clock.advance(by: milliseconds(3))
    call.journal.record(.received(status: 200, metrics: nil))
    call.journal.end()
    let picture = CallPicture([call.journal.log])
    #expect("\(picture)" == "GET /me, 200 · 3.0 ms, wait 3.0 ms")
    #expect(picture.svg.contains("<desc>\(picture)</desc>"))
    #expect(picture.svg.contains("role=\"img\""))
    #expect(picture.html.contains("answered 200 OK"))
    let page = CallChart([call.journal.log], title: nil).html(log: "one\n\ntwo")
    #expect(page.contains("<p>one</p>\n<p></p>\n<p>two</p>"))
    // Nothing is fetched from elsewhere.
    let links = picture.html.replacing("http://www.w3.org/2000/svg", with: "")
    #expect(!links.contains("src=") && !links.contains("url(") && !links.contains("<link"))
  }

  @Test("A long text is cut in the middle, so that it fits on a phone")
  func cut() {
    #expect("abcdefgh".cut(to: 8) == "abcdefgh")
    #expect("abcdefgh".cut(to: 5) == "ab…gh")
    #expect("abcdefgh".cut(to: 4) == "a…gh")
    let label = String(repeating: "a", count: 99)
    let row = CallChart.Row(label: label, outcome: "503 · 30 ms")
    let chart = CallChart(title: label, rows: [row])
    let shown = chart.svg.matches(of: />(a+…a+)</).map { $0.1.count }
    #expect(shown == [42, 46 - 11])
  }

  @Test("A time is cut to whole microseconds")
  func microseconds() {
    let nearly = Duration(secondsComponent: 0, attosecondsComponent: 999_999_999_999)
    #expect(nearly.inMicroseconds == 0)
    #expect(Duration.nanoseconds(1_000_001_999).inMicroseconds == 1_000_001)
  }

  @Test("Times have two significant digits")
  func times() {
    let texts = [0, 9, 990, 1_000, 9_999, 10_000, 999_999, 1_000_000, 61_500_000]
      .map { Duration.microseconds($0).shortText }
    #expect(
      texts == [
        "0.00 ms", "0.00 ms", "0.99 ms", "1.0 ms", "9.9 ms", "10 ms", "999 ms", "1.0 s", "61.5 s",
      ])
  }
}
