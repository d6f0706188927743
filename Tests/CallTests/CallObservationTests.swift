import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("The observation of a call", .timeLimit(.minutes(10)))
struct CallObservationTests {
  private static let base = "https://api.example.com"

  private let scheduler = TestScheduler()
  private let events = TestSubscriber<CallEvent, Never>()
  private let logs = TestSubscriber<CallLog, Never>()

  private func api(_ script: StubAPIResponse, _ other: StubAPIResponse? = nil) -> TestAPI {
    let stubs = StubTransport(script, other ?? script, scheduler: scheduler)
    let transport = ObservedTransport(stubs, clock: scheduler)
    transport.callEvents.receive(subscriber: events)
    transport.callLogs.receive(subscriber: logs)
    return TestAPI(baseURL: Self.base, transport: transport)
  }

  private func stub(
    _ path: String = "a", _ status: Int = 200, headers: HTTPHeaders = [:]
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: "\(Self.base)/\(path)"), statusCode: status,
      headers: headers, result: .json("{}"), delay: .milliseconds(25))
  }

  private func run<P: Publisher>(_ publisher: P) -> TestSubscriber<P.Output, P.Failure> {
    let subscriber = TestSubscriber<P.Output, P.Failure>()
    publisher.receive(subscriber: subscriber)
    scheduler.run()
    return subscriber
  }

  @Test("Events are reported in order, with their times, and the whole log follows at the end")
  func order() throws {
    scheduler.advance(by: .seconds(3))
    _ = run(api(stub()).get(endpoint: "a").decode(type: [String: Int].self))
    #expect(
      events.values.map(\.description) == [
        "built GET https://api.example.com/a", "sent, attempt 1", "answered 200 OK",
        "decoded as Dictionary<String, Int>", "ended",
      ])
    #expect(events.values.map(\.call) == [1, 1, 1, 1, 1])
    let log = try #require(logs.values.first)
    #expect(logs.values.count == 1)
    #expect(log.number == 1)
    #expect(log.start == .seconds(3))
    #expect(log.duration == .milliseconds(25))
    #expect(
      log.description == """
         0.00 ms  built GET https://api.example.com/a
         0.00 ms  sent, attempt 1
           25 ms  answered 200 OK
           25 ms  decoded as Dictionary<String, Int>
           25 ms  ended
        """)
  }

  @Test("Two observations of one transport both report events and logs")
  func twice() throws {
    let inner = ObservedTransport(StubTransport(stub(), scheduler: scheduler), clock: scheduler)
    inner.callEvents.receive(subscriber: events)
    inner.callLogs.receive(subscriber: logs)
    let (outerEvents, outerLogs) = (
      TestSubscriber<CallEvent, Never>(), TestSubscriber<CallLog, Never>()
    )
    let outer = ObservedTransport(inner, clock: scheduler)
    outer.callEvents.receive(subscriber: outerEvents)
    outer.callLogs.receive(subscriber: outerLogs)
    _ = run(TestAPI(baseURL: Self.base, transport: outer).get(endpoint: "a"))
    #expect(events.values.map(\.description).last == "ended")
    #expect(events.values.map(\.description) == outerEvents.values.map(\.description))
    #expect(logs.values.count == 1)
    #expect(logs.values.map(\.description) == outerLogs.values.map(\.description))
  }

  @Test("A redirect event names the target and the header fields left out")
  func redirect() {
    let to: HTTPHeaders = ["Location": "https://other.example.com/b?token=canary"]
    let target = StubAPIResponse(
      request: .init(.get, urlString: "https://other.example.com/b?token=canary"))
    _ = run(
      api(stub("a", 302, headers: to), target).get(endpoint: "a") {
        $0.addingBearerAuthorization(token: "canary")
      })
    #expect(
      events.values.map(\.description) == [
        "built GET https://api.example.com/a", "sent, attempt 1", "answered 302 Found",
        "redirected to GET https://other.example.com/b, without Authorization",
        "sent, attempt 1, after a redirect", "answered 200 OK", "ended",
      ])
  }

  @Test("A refused status ends the call with its failure, and the error has the log")
  func refusal() throws {
    let subscriber = run(api(stub("a", 503)).get(endpoint: "a").validateStatus())
    let told = events.values.map(\.description)
    #expect(
      told.suffix(3) == [
        "answered 503 Service Unavailable",
        "failed because the server answered 503 Service Unavailable", "ended",
      ])
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.log?.events.map(\.description) == Array(told.dropLast()))
    #expect(error.debugDescription.hasPrefix("\(error)\n"))
    #expect(error.debugDescription.contains("25 ms  failed because"))
    #expect(logs.values.first?.attributes["error.type"] == .string("503"))
  }

  @Test("A refused redirect is the failure of its call, also for a response in pieces")
  func refusedRedirect() {
    let to: HTTPHeaders = ["Location": "ftp://other.example.com/"]
    let api = api(stub("a", 302, headers: to))
    _ = run(api.get(endpoint: "a"))
    _ = run(api.events(endpoint: "a"))
    let failures = logs.values.map { log in log.events.dropLast().last?.description }
    #expect(
      failures
        == [String?](
          repeating:
            "failed because the server redirected to a location that is not an http(s) URL",
          count: 2))
    #expect(
      logs.values.map { $0.attributes["error.type"] } == [.string("redirect"), .string("redirect")])
  }

  @Test("A call whose URL cannot be made sends nothing")
  func invalid() throws {
    let subscriber = run(api(stub()).get(endpoint: "../a"))
    #expect(events.values.map(\.description).last == "ended")
    #expect(events.values.count == 2)
    #expect((subscriber.failure as? RESTError)?.log?.events.count == 1)
  }

  @Test("A cancel is reported once, and nothing after it")
  func cancel() {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api(stub()).get(endpoint: "a").receive(subscriber: subscriber)
    subscriber.cancel()
    subscriber.cancel()
    scheduler.run()
    #expect(
      events.values.map(\.description) == [
        "built GET https://api.example.com/a", "sent, attempt 1", "cancelled", "ended",
      ])
    #expect(logs.values.first?.attributes["error.type"] == .string("cancelled"))
  }

  @Test("A cancel after the value does not count as a cancel of the call")
  func enough() {
    let call = LogicalCall(clock: scheduler)
    call.journal.record(.decoded("Int"))
    call.journal.end(isCancelled: true)
    #expect(call.journal.log.events.map(\.description) == ["decoded as Int", "ended"])
    #expect(call.journal.log.attributes["error.type"] == nil)
  }

  @Test("The attributes have the names of OpenTelemetry's conventions")
  func attributes() throws {
    let metrics = ExchangeMetrics(
      waiting: .milliseconds(1), remoteAddress: "[2001:db8::7]:8443", httpVersion: "HTTP/2")
    let call = LogicalCall(clock: scheduler)
    let request = try #require(URL(string: "https://h.example:8443/a"))
    call.journal.record(.built(RequestSummary(method: .put, url: request)))
    call.beginExchange(isRedirected: false)
    call.journal.record(.received(status: 503, metrics: nil))
    #expect(call.journal.log.attributes["http.request.resend_count"] == nil)
    call.beginExchange(isRedirected: false, repetition: .retry)
    call.journal.record(.received(status: 201, metrics: metrics))
    #expect(
      call.journal.log.attributes == [
        "http.request.method": .string("PUT"), "url.scheme": .string("https"),
        "server.address": .string("h.example"), "server.port": .integer(8443),
        "http.request.resend_count": .integer(1), "http.response.status_code": .integer(201),
        "network.protocol.version": .string("2"), "network.peer.address": .string("2001:db8::7"),
        "network.peer.port": .integer(8443),
      ])
    let fault = TransportError(kind: .tlsFailed(.wrongHost), mayHaveBeenProcessed: false)
    call.journal.record(RESTError(fault, request: RequestSummary(method: .put, url: request)))
    #expect(call.journal.log.attributes["error.type"] == .string("tlsFailed"))
  }

  @Test("A response from a unix socket has the socket's path, and no port")
  func unixSocket() {
    let call = LogicalCall(clock: scheduler)
    let metrics = ExchangeMetrics(remoteAddress: "unix:/run/docker.sock", httpVersion: "HTTP/1.1")
    call.journal.record(.received(status: 200, metrics: metrics))
    #expect(
      call.journal.log.attributes == [
        "http.response.status_code": .integer(200), "network.protocol.version": .string("1.1"),
        "network.transport": .string("unix"), "network.peer.address": .string("/run/docker.sock"),
      ])
  }

  @Test("A status from 400 on is an error", arguments: [(399, nil), (400, "400"), (599, "599")])
  func errorStatus(status: Int, type: String?) {
    let call = LogicalCall(clock: scheduler)
    call.journal.record(.received(status: status, metrics: nil))
    #expect(call.journal.log.attributes["error.type"] == type.map(CallAttribute.string))
    // A value makes up for it.
    call.journal.record(.decoded("Int"))
    #expect(call.journal.log.attributes["error.type"] == nil)
  }

  @Test("Events without a phrase, a budget or an error class are described without it")
  func unnamed() {
    let call = LogicalCall(clock: scheduler)
    #expect(call.journal.log.duration == .zero)
    call.journal.record(.received(status: 299, metrics: nil))
    call.journal.record(.waiting(.seconds(1), because: "busy", budget: nil))
    call.journal.record(.failed("something else"))
    #expect(
      call.journal.log.events.map(\.description) == [
        "answered 299", "waits 1.0 s because busy", "failed because something else",
      ])
    #expect(call.journal.log.attributes["error.type"] == .string("_OTHER"))
  }

  @Test("A call that a retry or a session began reports the events before the transport")
  func joined() throws {
    let call = LogicalCall(clock: scheduler)
    call.journal.record(.joinedRefresh(3))
    call.journal.record(.refreshed(3))
    call.journal.record(.waiting(.milliseconds(1_250), because: "Retry-After", budget: 496))
    _ = run(api(stub()).get(endpoint: "a").context(ScopedCall.Key.self, ScopedCall(of: call)))
    #expect(
      events.values.map(\.description) == [
        "waits for refresh 3", "refresh 3 brought a token",
        "waits 1.2 s because Retry-After, budget 496", "built GET https://api.example.com/a",
        "sent, attempt 1", "answered 200 OK",
      ])
    #expect(Set(events.values.map(\.call)) == [1])
    // The maker of the call ends it.
    #expect(logs.values.isEmpty)
    call.journal.end()
    call.journal.end(isCancelled: true)
    #expect(logs.values.count == 1)
    #expect(events.values.last?.description == "ended")
    #expect(events.values.count == 7)
  }

  @Test("The log of a call starts when the call started, not when it reached the transport")
  func late() {
    let call = LogicalCall(clock: scheduler)
    scheduler.advance(by: .seconds(2))
    _ = run(api(stub()).get(endpoint: "a").context(ScopedCall.Key.self, ScopedCall(of: call)))
    #expect(call.journal.log.start == .zero)
    #expect(call.journal.log.duration == .milliseconds(2_025))
  }

  @Test("A call's start is on the transport's clock, even if the call has its own clock")
  func clocks() {
    let own = TestScheduler()
    own.advance(by: .seconds(100))
    scheduler.advance(by: .seconds(3))
    let call = LogicalCall(clock: own)
    _ = run(api(stub()).get(endpoint: "a").context(ScopedCall.Key.self, ScopedCall(of: call)))
    #expect(call.journal.log.start == .seconds(3))
  }

  @Test("A call without a clock uses the transport's clock")
  func noClock() {
    scheduler.advance(by: .seconds(3))
    let call = LogicalCall()
    #expect(call.journal.log.number == 0)
    _ = run(api(stub()).get(endpoint: "a").context(ScopedCall.Key.self, ScopedCall(of: call)))
    #expect(call.journal.log.number == 1)
    #expect(call.journal.log.start == .seconds(3))
    #expect(events.values.map(\.time) == [.zero, .zero, .milliseconds(25)])
  }

  @Test("A cancel of a retried call is reported")
  func cancelledRetry() {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api(stub()).get(endpoint: "a").retry(.test(scheduler)).receive(subscriber: subscriber)
    subscriber.cancel()
    scheduler.run()
    #expect(events.values.map(\.description).suffix(2) == ["cancelled", "ended"])
    #expect(logs.values.count == 1)
  }

  @Test("After an error status, a failure or a cancel leaves the status as the error type")
  func statusFirst() {
    for kind in [CallEvent.Kind.failed("cut"), .cancelled] {
      let call = LogicalCall(clock: scheduler)
      call.journal.record(.received(status: 503, metrics: nil))
      call.journal.record(kind)
      #expect(call.journal.log.attributes["error.type"] == .string("503"))
    }
  }

  @Test(
    "A request counts as a repetition from the second attempt on",
    arguments: [(1, nil), (2, 1), (3, 2)] as [(Int, Int?)])
  func repetition(attempt: Int, count: Int?) throws {
    let call = LogicalCall(clock: scheduler)
    call.journal.recordSent(attempt: attempt, cause: .retry)
    let event = try #require(call.journal.log.events.first)
    #expect(
      event.attributes["http.request.resend_count"] == count.map(CallAttribute.integer))
  }

  @Test("Measured times are reported with the event that carries them")
  func measured() {
    let metrics = ExchangeMetrics(waiting: .milliseconds(1), httpVersion: "HTTP/2")
    for kind in [
      CallEvent.Kind.received(status: 200, metrics: metrics), .transferred(metrics: metrics),
    ] {
      let call = LogicalCall(clock: scheduler)
      call.journal.record(kind)
      let log = call.journal.log
      #expect(log.description.hasSuffix(" (HTTP/2, waiting 1.0 ms)"))
      #expect(log.events.first?.attributes["network.protocol.version"] == .string("2"))
    }
  }

  @Test("A time longer than its column starts at the margin")
  func longTime() {
    let call = LogicalCall(clock: scheduler)
    scheduler.advance(by: .milliseconds(12_345_600))
    call.journal.record(.received(status: 299, metrics: nil))
    #expect(call.journal.log.description == "12345.6 s  answered 299")
  }

  @Test("A log is kept only while someone listens; the inner transport's listener sees all events")
  func listening() throws {
    let inner = ObservedTransport(StubTransport(stub(), stub()))
    let outer = ObservedTransport(inner, clock: scheduler)
    let api = TestAPI(baseURL: Self.base, transport: outer)
    let silent = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: silent)
    #expect(try #require(silent.values.first).journal == nil)
    inner.callEvents.receive(subscriber: events)
    _ = run(api.get(endpoint: "a"))
    #expect(events.values.count == 4)
  }

  @Test("A response in pieces is measured", arguments: TransportKind.allCases)
  func pieces(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("body") }
    defer { server.stop() }
    let transport = ObservedTransport(try kind.make())
    transport.callLogs.receive(subscriber: logs)
    let api = TestAPI(baseURL: server.baseURL, transport: transport)
    _ = try await api.events(endpoint: "a").collect().value
    let log = try #require(logs.values.first)
    let kinds = log.events.map { "\($0.kind)".prefix { $0 != "(" } }
    #expect(kinds == ["built", "sent", "received", "transferred", "ended"])
    guard case .transferred(let metrics?) = log.events[3].kind else {
      Issue.record("no metrics")
      return
    }
    #expect(try #require(metrics.total) > .zero)
    if kind != .urlSession { #expect(metrics.httpVersion == "HTTP/1.1") }
  }
}
