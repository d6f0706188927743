import Foundation
import InMemoryTracing
import RESTKit
import RESTKitObservability
import RESTKitTesting
import Streams
import StreamsTesting
import Testing
import Tracing

@Suite("A session's refresh in the traces of a service")
struct SessionTracingTests {
  private let tracer = InMemoryTracer()
  private let refresh = StubRequest(.post, urlString: "https://shop.example/v1/auth/refresh")
  private let fresh: Result<Data, any Error> = .json(
    #"{"accessToken": "t1", "refreshToken": "r1"}"#)

  private func session(of shop: ObservedShop, expiresAt date: Date? = nil) -> TokenSession {
    TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://shop.example/v1", transport: shop.transport),
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r0", expiresAt: date)),
      scheduler: shop.scheduler, date: { Date(timeIntervalSince1970: 1_000) })
  }

  @Test("A 401 and its refresh are one trace, with the refresh as a child of its call")
  func refusal() {
    let shop = ObservedShop(
      ObservedShop.answer("https://shop.example/v1/orders/7", 401)
        .thenRespondWith(request: refresh, result: fresh, delay: .seconds(1))
        .thenRespondWith(
          request: .init(.get, urlString: "https://shop.example/v1/orders/7"), result: .json("{}")))
    let end = shop.transport.traceCalls(with: tracer)
    var api = shop.api
    api.session = session(of: shop)
    let call = shop.run(api.get(endpoint: "orders/7"))
    #expect(call.values.map(\.statusCode) == [200])
    let spans = tracer.finishedSpans
    #expect(
      spans.map { "\($0.kind) \($0.operationName)" } == [
        "client GET", "client POST", "internal POST", "client GET", "internal GET",
      ])
    #expect(Set(spans.map(\.traceID)).count == 1)
    #expect(
      spans.map(\.parentSpanID) == [
        spans[4].spanID, spans[2].spanID, spans[4].spanID, spans[4].spanID, nil,
      ])
    end.cancel()
  }

  @Test("A call that waits for its first token belongs to the task that began the call")
  func wait() {
    let shop = ObservedShop(
      StubAPIResponse(request: refresh, result: fresh, delay: .seconds(1)).thenRespondWith(
        request: .init(.get, urlString: "https://shop.example/v1/orders/7"), result: .json("{}"),
        delay: .milliseconds(250)))
    let end = shop.transport.traceCalls(with: tracer)
    var api = shop.api
    api.session = session(of: shop, expiresAt: Date(timeIntervalSince1970: 1))
    let checkout = tracer.startSpan("checkout")
    let call = ServiceContext.withValue(checkout.context) {
      shop.begin(api.get(endpoint: "orders/7"))
    }
    shop.scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    let spans = tracer.finishedSpans
    let outer = spans.last
    #expect(outer?.parentSpanID == checkout.spanID)
    #expect(spans.count == 4)
    #expect(Set(spans.map(\.traceID)) == [checkout.traceID])
    let length =
      (outer?.endInstant.nanosecondsSinceEpoch ?? 0)
      - (outer?.startInstant.nanosecondsSinceEpoch ?? 0)
    #expect(length == 1_250_000_000)
    checkout.end()
    end.cancel()
  }
}
