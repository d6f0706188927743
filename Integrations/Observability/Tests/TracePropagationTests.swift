import Foundation
import RESTKit
import RESTKitObservability
import RESTKitTesting
import Streams
import StreamsTesting
import Testing
import Tracing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The trace context travels with permitted requests")
struct TracePropagationTests {
  private let tracer = W3CTracer()
  private let redirected = ObservedShop(
    ObservedShop.answer(
      "https://shop.example/v1/orders/7", 302, headers: ["Location": "https://files.example/7"]
    )
    .thenRespondWith(request: .init(.get, urlString: "https://files.example/7")))

  /// A task's context, of a trace with a state and baggage.
  private let context: ServiceContext = {
    var context = ServiceContext.topLevel
    context[W3CSpanID.Key.self] = W3CSpanID(
      trace: W3CSpanID.hex(16), span: W3CSpanID.hex(8), parent: nil, state: "shop=1",
      baggage: "user=7")
    return context
  }()

  private func field(_ name: String, of shop: ObservedShop) -> [String?] {
    shop.stubs.requests.map { $0.value(forHTTPHeaderField: name) }
  }

  private func run(
    _ shop: ObservedShop, _ propagation: TracePropagation = TracePropagation(),
    modifier: @escaping RequestModifier = { $0 }
  ) {
    let end = shop.transport.traceCalls(with: tracer, propagation: propagation)
    shop.run(
      shop.api.get(endpoint: "orders/7", requestModifier: modifier).serviceContext(context))
    end.cancel()
  }

  @Test("Each exchange carries its own span and the trace state, and baggage only on request")
  func fields() throws {
    let shop = ObservedShop(
      ObservedShop.answer("https://shop.example/v1/orders/7", 302, headers: ["Location": "/v1/b"])
        .thenRespondWith(request: .init(.get, urlString: "https://shop.example/v1/b")))
    run(shop)
    let exchanges = tracer.finished.filter { $0.kind == .client }.compactMap(\.id)
    #expect(exchanges.count == 2)
    #expect(field("traceparent", of: shop) == exchanges.map { "00-\($0.trace)-\($0.span)-01" })
    #expect(exchanges.allSatisfy { $0.trace == context[W3CSpanID.Key.self]?.trace })
    #expect(field("tracestate", of: shop) == ["shop=1", "shop=1"])
    #expect(field("baggage", of: shop) == [nil, nil])
  }

  @Test("Baggage is sent if requested")
  func baggage() {
    let shop = ObservedShop(ObservedShop.answer())
    run(shop, TracePropagation(includesBaggage: true))
    #expect(field("baggage", of: shop) == ["user=7"])
  }

  @Test("A redirect to another origin receives no context, unless it is allowed")
  func redirect() {
    run(redirected)
    #expect(field("traceparent", of: redirected).map { $0 == nil } == [false, true])
    #expect(field("tracestate", of: redirected) == ["shop=1", nil])
  }

  @Test(
    "Named origins, or all origins, receive the context",
    arguments: [
      (TracePropagation.Destinations.everywhere, [false, false]),
      (.origins([]), [true, true]),
      (.origins(["https://FILES.example"]), [true, false]),
      (.origins(["https://files.example:443", "https://shop.example"]), [false, false]),
      (.origins(["http://files.example", "https://files.example:8443"]), [true, true]),
    ])
  func destinations(destinations: TracePropagation.Destinations, isMissing: [Bool]) {
    run(redirected, TracePropagation(to: destinations))
    #expect(field("traceparent", of: redirected).map { $0 == nil } == isMissing)
  }

  @Test("A request keeps its own traceparent and gets no tracestate, and the span says so")
  func own() throws {
    let shop = ObservedShop(ObservedShop.answer())
    run(shop, TracePropagation(includesBaggage: true)) { request in
      var request = request
      request.setValue("own", forHTTPHeaderField: "traceparent")
      return request
    }
    #expect(field("traceparent", of: shop) == ["own"])
    #expect(field("tracestate", of: shop) == [nil])
    #expect(field("baggage", of: shop) == ["user=7"])
    let exchange = try #require(tracer.finished.first { $0.kind == .client })
    #expect(exchange.events == ["kept the request's own traceparent"])
  }

  @Test("The added fields change neither the cache key nor the sharing of calls")
  func sharing() {
    let shop = ObservedShop(ObservedShop.answer(headers: ["Cache-Control": "max-age=60"]))
    let end = shop.transport.traceCalls(with: tracer)
    let call = shop.api.get(endpoint: "orders/7").cached(in: HTTPCache())
      .coalesced(in: RequestCoalescer())
    let callers = [shop.begin(call), shop.begin(call)]
    shop.scheduler.run()
    shop.run(call)
    #expect(callers.map(\.values.count) == [1, 1])
    #expect(shop.stubs.requests.count == 1)
    #expect(tracer.finished.count { $0.kind == .client } == 1)
    #expect(tracer.finished.count { $0.kind == .internal } == 3)
    end.cancel()
  }
}
