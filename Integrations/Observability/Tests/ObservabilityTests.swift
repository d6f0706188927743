import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import RESTKit
import RESTKitObservability
import RESTKitTesting
import Streams
import StreamsTesting
import Testing
import Tracing

@Suite("Calls in the logs, metrics and traces of a service")
struct ObservabilityTests {
  private struct ShopAPI: RESTAPI {
    let baseURL = "https://shop.example"
    let transport: any Transport
  }

  private let scheduler = TestScheduler()
  private let transport: ObservedTransport

  init() {
    let stub = StubAPIResponse(
      request: .init(.get, urlString: "https://shop.example/orders?token=canary"), statusCode: 503,
      delay: .milliseconds(250))
    transport = ObservedTransport(StubTransport(stub, scheduler: scheduler), clock: scheduler)
  }

  /// One call, which is refused.
  private func call() {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    ShopAPI(transport: transport)
      .get(endpoint: "orders", query: [URLQueryItem(name: "token", value: "canary")]) {
        $0.addingBearerAuthorization(token: "canary")
      }
      .validateStatus()
      .receive(subscriber: subscriber)
    scheduler.run()
  }

  @Test("A log has a line for each event, a failure as a warning, and no secret")
  func logging() {
    let handler = InMemoryLogHandler()
    var logger = Logger(label: "shop") { _ in handler }
    logger.logLevel = .debug
    let subscription = transport.logCalls(to: logger)
    call()
    subscription.cancel()
    #expect(
      handler.entries.map { "\($0.level): \($0.message)" } == [
        "debug: built GET https://shop.example/orders", "debug: sent, attempt 1",
        "debug: answered 503 Service Unavailable",
        "warning: failed because the server answered 503 Service Unavailable", "debug: ended",
      ])
    #expect(handler.entries.allSatisfy { $0.metadata["call"] == "1" })
    #expect(handler.entries[0].metadata["server.address"] == "shop.example")
    #expect(handler.entries[2].metadata["http.response.status_code"] == "503")
    #expect(!"\(handler.entries)".contains("canary"))
  }

  @Test("A call is measured in seconds, by its method, its server and what came of it")
  func metrics() throws {
    let factory = TestMetrics()
    let subscription = transport.measureCalls(with: factory)
    call()
    subscription.cancel()
    let recorder = try factory.expectRecorder(
      "http.client.request.duration",
      [
        ("error.type", "503"), ("http.request.method", "GET"),
        ("http.response.status_code", "503"), ("server.address", "shop.example"),
        ("server.port", "443"), ("url.scheme", "https"),
      ])
    #expect(recorder.values == [0.25])
  }

  @Test("A call is a span, as long as it took, with its events")
  func tracing() throws {
    let tracer = InMemoryTracer()
    let subscription = transport.traceCalls(with: tracer)
    call()
    subscription.cancel()
    let span = try #require(tracer.finishedSpans.first)
    #expect(tracer.finishedSpans.count == 1)
    #expect(span.operationName == "GET")
    #expect(span.kind == .client)
    #expect(span.status?.code == .error)
    #expect(span.attributes.get("http.response.status_code") == .int64(503))
    #expect(span.attributes.get("error.type") == .string("503"))
    let length =
      span.endInstant.nanosecondsSinceEpoch - span.startInstant.nanosecondsSinceEpoch
    #expect(length == 250_000_000)
    #expect(span.events.map(\.name).last == "ended")
    #expect(!"\(span.events.map(\.name))".contains("canary"))
  }

  @Test("The parent of a call's span is the span of the task that begins the call")
  func parent() throws {
    let tracer = InMemoryTracer()
    let subscription = transport.traceCalls(with: tracer)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    let orders = ShopAPI(transport: transport)
      .get(endpoint: "orders", query: [URLQueryItem(name: "token", value: "canary")])
    let checkout = tracer.startSpan("checkout")
    ServiceContext.withValue(checkout.context) { orders.receive(subscriber: subscriber) }
    // The answer comes outside of the task.
    scheduler.run()
    checkout.end()
    call()
    subscription.cancel()
    let spans = tracer.finishedSpans
    #expect(spans.map(\.operationName) == ["GET", "checkout", "GET"])
    #expect(spans.first?.parentSpanID == checkout.spanID)
    #expect(spans.first?.traceID == checkout.traceID)
    #expect(spans.last?.parentSpanID == nil)
  }

  @Test("The README's observations end when they are let go")
  func readme() async throws {
    try await LiveSubscriptions.assertNone {
      let observations = CallObservations(of: transport)
      call()
      withExtendedLifetime(observations) {}
    }
  }
}
