import Metrics
import MetricsTestKit
import RESTKit
import RESTKitObservability
import RESTKitTesting
import StreamsTesting
import Testing

@Suite("Exchanges in the metrics of a service")
struct CallMetricsTests {
  private let factory = TestMetrics()
  private let request = [
    ("http.request.method", "GET"), ("server.address", "shop.example"), ("server.port", "443"),
    ("url.scheme", "https"),
  ]

  @Test("Each attempt is measured in seconds, by its method, server and outcome")
  func duration() throws {
    let shop = ObservedShop(
      ObservedShop.answer("https://shop.example/v1/orders/7", 503).thenRespondWith(
        request: .init(.get, urlString: "https://shop.example/v1/orders/7"),
        delay: .milliseconds(50)))
    let end = shop.transport.measureCalls(with: factory)
    shop.run(
      shop.api.get(endpoint: "orders/7").retry(RetryPolicy(scheduler: shop.scheduler)))
    end.cancel()
    let failed = [
      ("error.type", "503"), ("http.response.status_code", "503"), ("network.protocol.version", ""),
    ]
    let succeeded = [
      ("error.type", ""), ("http.response.status_code", "200"), ("network.protocol.version", ""),
    ]
    #expect(
      try factory.expectRecorder(HTTPClientDuration.label, request + failed).values == [0.25])
    #expect(
      try factory.expectRecorder(HTTPClientDuration.label, request + succeeded).values == [0.05])
  }

  @Test("A metric has the same dimensions for every outcome, as some backends require")
  func dimensions() {
    let shop = ObservedShop(ObservedShop.answer(), ObservedShop.answer())
    let end = shop.transport.measureCalls(with: factory)
    shop.run(shop.api.get(endpoint: "orders/7"))
    shop.begin(shop.api.get(endpoint: "orders/7")).cancel()
    end.cancel()
    let names = factory.recorders.map { recorder in Set(recorder.dimensions.map { $0.0 }) }
    #expect(names.count == 2)
    #expect(Set(names).count == 1)
  }

  @Test("Active requests are counted, however they end")
  func active() throws {
    let shop = ObservedShop(ObservedShop.answer(), ObservedShop.answer())
    let end = shop.transport.measureCalls(with: factory)
    let calls = (0..<2).map { _ in shop.begin(shop.api.get(endpoint: "orders/7")) }
    let meter = try factory.expectMeter("http.client.active_requests", request)
    #expect(meter.values == [1, 2])
    calls[0].cancel()
    #expect(meter.lastValue == 1)
    shop.scheduler.run()
    #expect(meter.lastValue == 0)
    end.cancel()
  }

  @Test("The buckets are those of the convention, in seconds and in order")
  func buckets() {
    #expect(HTTPClientDuration.buckets.count == 14)
    #expect(HTTPClientDuration.buckets.sorted() == HTTPClientDuration.buckets)
    #expect(HTTPClientDuration.buckets.first == 0.005)
    #expect(HTTPClientDuration.buckets.last == 10)
  }
}
