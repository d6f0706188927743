import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What an exchange measures")
struct ExchangeMetricsTests {
  @Test("It reads as one line of what is known, in milliseconds")
  func text() {
    let metrics = ExchangeMetrics(
      nameLookup: .zero, connect: .microseconds(1_250), secureConnect: .milliseconds(3),
      firstByte: .microseconds(8_190), total: .seconds(1.5), isConnectionReused: false,
      remoteAddress: "192.0.2.7:443", httpVersion: "HTTP/2")
    #expect(
      "\(metrics)" == "HTTP/2, 192.0.2.7:443, new connection, connect 1.2 ms, TLS 3.0 ms, "
        + "first byte 8.1 ms, total 1500.0 ms")
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

  @Test(
    "A response and its log tell the same; a stub tells nothing", arguments: TransportKind.allCases)
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
      }
    #endif
    let stub = StubTransport(.get, "https://h/a", result: .json("{}"))
    let stubbed = try await TestAPI(baseURL: "https://h", transport: stub).get(endpoint: "a").value
    #expect(stubbed.metrics == nil)
  }

  @Test(
    "An exchange in pieces tells once what it measured, to all who listen, before it finishes",
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
