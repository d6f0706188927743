import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The metrics of an exchange")
struct ExchangeMetricsTests {
  @Test("Metrics read as one line of the known values, in milliseconds")
  func text() {
    let metrics = ExchangeMetrics(
      queued: .microseconds(99), nameLookup: .zero, connect: .microseconds(1_250),
      secureConnect: .milliseconds(3), sending: .microseconds(100), waiting: .microseconds(8_190),
      receiving: .microseconds(200), total: .seconds(1.5), isConnectionReused: false,
      remoteAddress: "192.0.2.7:443", httpVersion: "HTTP/2")
    #expect(
      "\(metrics)" == "HTTP/2, 192.0.2.7:443, new connection, connect 1.2 ms, TLS 3.0 ms, "
        + "sending 0.1 ms, waiting 8.1 ms, receiving 0.2 ms, total 1500.0 ms")
    #expect(
      "\(ExchangeMetrics(queued: .milliseconds(2), nameLookup: .milliseconds(1)))"
        == "queued 2.0 ms, name lookup 1.0 ms")
    #expect("\(ExchangeMetrics(isConnectionReused: true))" == "reused")
    #expect("\(ExchangeMetrics())" == "")
  }

  @Test("A tenth of a millisecond counts when it is over, and not a moment before")
  func roundedDown() {
    let short = Duration(secondsComponent: 2, attosecondsComponent: 199_999_999_999_999)
    #expect("\(ExchangeMetrics(total: short))" == "total 2000.1 ms")
    let whole = Duration(secondsComponent: 2, attosecondsComponent: 200_000_000_000_000)
    #expect("\(ExchangeMetrics(total: whole))" == "total 2000.2 ms")
  }

  @Test("The first byte comes when everything except the receiving is over")
  func firstByte() {
    let metrics = ExchangeMetrics(receiving: .milliseconds(2), total: .milliseconds(9))
    #expect(metrics.firstByte == .milliseconds(7))
    #expect(ExchangeMetrics(total: .milliseconds(9)).firstByte == nil)
    #expect(ExchangeMetrics(receiving: .milliseconds(2)).firstByte == nil)
  }

  @Test("Unreported time counts as a wait for the response, unless the wait is reported")
  func phases() {
    typealias Phase = ExchangeMetrics.Phase
    func phases(_ metrics: ExchangeMetrics) -> [Phase: Duration] {
      Dictionary(uniqueKeysWithValues: metrics.phases.map { ($0.phase, $0.length) })
    }
    let ends = ExchangeMetrics(receiving: .milliseconds(2), total: .milliseconds(9))
    #expect(phases(ends) == [.waiting: .milliseconds(7), .receiving: .milliseconds(2)])
    #expect(ends.phases.map(\.phase) == [.waiting, .receiving])
    let begins = ExchangeMetrics(queued: .milliseconds(2), total: .milliseconds(9))
    #expect(phases(begins) == [.queued: .milliseconds(2), .waiting: .milliseconds(7)])
    let all = ExchangeMetrics(
      queued: .milliseconds(1), nameLookup: .milliseconds(2), connect: .milliseconds(3),
      secureConnect: .milliseconds(4), sending: .milliseconds(5), waiting: .milliseconds(6),
      receiving: .milliseconds(7), total: .milliseconds(40))
    #expect(all.phases.map(\.phase) == Phase.allCases)
    #expect(all.phases.map(\.length) == (1...7).map { Duration.milliseconds($0) })
    #expect(
      phases(ExchangeMetrics(receiving: .milliseconds(9), total: .milliseconds(2)))
        == [.waiting: .zero, .receiving: .milliseconds(9)])
    #expect(phases(ExchangeMetrics(sending: .milliseconds(-1))) == [.sending: .zero])
    #expect(ExchangeMetrics(isConnectionReused: true).phases.isEmpty)
  }

  @Test(
    "A response and its log have the same metrics; a stub has none",
    arguments: TransportKind.allCases)
  func told(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let seen = Mutex<[ExchangeMetrics?]>([])
    let transport = ObservedTransport(try kind.make()) { exchange in
      seen.withLock { $0.append(exchange.metrics) }
    }
    let response = try await TestAPI(baseURL: server.baseURL, transport: transport)
      .get(endpoint: "a").value
    let metrics = try #require(response.metrics)
    #expect(seen.withLock { $0 } == [metrics])
    #expect(try #require(metrics.total) >= #require(metrics.firstByte))
    #expect(try #require(metrics.firstByte) > .zero)
    #if os(Linux)
      if kind == .curl {
        #expect(metrics.remoteAddress == "127.0.0.1:\(server.port)")
        #expect(metrics.isConnectionReused == false)
        #expect(metrics.httpVersion == "HTTP/1.1")
        #expect(metrics.phases.map(\.phase) == ExchangeMetrics.Phase.allCases)
        #expect(metrics.phases.reduce(Duration.zero) { $0 + $1.length } == metrics.total)
      }
    #endif
    let stub = StubTransport(.get, "https://h/a", result: .json("{}"))
    let stubbed = try await TestAPI(baseURL: "https://h", transport: stub).get(endpoint: "a").value
    #expect(stubbed.metrics == nil)
  }

  @Test(
    "An exchange in pieces reports its metrics once, to all observers, before it finishes",
    arguments: TransportKind.allCases)
  func pieces(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let url = try #require(URL(string: server.baseURL))
    let first = Mutex<[ExchangeMetrics]>([])
    let second = Mutex<[ExchangeMetrics]>([])
    let events = try kind.make().events(for: URLRequest(url: url), body: nil)
      .onMetrics { metrics in first.withLock { $0.append(metrics) } }
      .onMetrics { metrics in second.withLock { $0.append(metrics) } }
    for try await _ in events.values {}
    let metrics = first.withLock { $0 }
    #expect(metrics.count == 1)
    #expect(second.withLock { $0 } == metrics)
    #expect(try #require(metrics.first?.total) >= #require(metrics.first?.firstByte))
  }
}
