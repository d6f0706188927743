import Foundation
import InMemoryTracing
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

@Suite("Calls and their exchanges in the traces of a service")
struct CallTracingTests {
  private let tracer = InMemoryTracer()

  private func duration(_ span: FinishedInMemorySpan) -> Duration {
    .nanoseconds(
      Int64(span.endInstant.nanosecondsSinceEpoch - span.startInstant.nanosecondsSinceEpoch))
  }

  private func attributes(_ span: FinishedInMemorySpan) -> [String: String] {
    var texts: [String: String] = [:]
    span.attributes.forEach { name, value in
      switch value {
      case .string(let text): texts[name] = text
      case .int64(let number): texts[name] = "\(number)"
      default: texts[name] = "\(value)"
      }
    }
    return texts
  }

  @Test("An exchange's span begins before its request is sent, as a child of the call's span")
  func beginning() {
    let shop = ObservedShop(ObservedShop.answer())
    let end = shop.transport.traceCalls(with: tracer)
    let call = shop.begin(shop.api.publisher(for: ObservedShop.Order(id: 7)))
    #expect(tracer.activeSpans.map(\.operationName) == ["GET /v1/orders/{}", "GET /v1/orders/{}"])
    #expect(tracer.finishedSpans.isEmpty)
    shop.scheduler.run()
    #expect(call.isFinished)
    #expect(tracer.activeSpans.isEmpty)
    let spans = tracer.finishedSpans
    #expect(spans.map(\.kind) == [.client, .internal])
    #expect(spans[0].parentSpanID == spans[1].spanID)
    #expect(spans[1].parentSpanID == nil)
    #expect(spans.map(duration) == [.milliseconds(250), .milliseconds(250)])
    #expect(spans[1].events.map(\.name).last == "ended")
    end.cancel()
  }

  @Test("The attributes follow the conventions and contain no secret")
  func attributes() throws {
    let shop = ObservedShop(
      ObservedShop.answer("https://shop.example/v1/orders?token=canary", 503))
    let end = shop.transport.traceCalls(with: tracer)
    shop.run(
      shop.api.get(endpoint: "orders", query: ["token": "canary"]) {
        $0.addingBearerAuthorization(token: "canary")
      }
      .validateStatus())
    let spans = tracer.finishedSpans
    #expect(
      attributes(spans[0]) == [
        "http.request.method": "GET", "server.address": "shop.example", "server.port": "443",
        "url.full": "https://shop.example/v1/orders?token=REDACTED",
        "http.response.status_code": "503", "error.type": "503",
      ])
    #expect(
      attributes(spans[1]) == [
        "http.request.method": "GET", "server.address": "shop.example", "server.port": "443",
        "http.response.status_code": "503", "error.type": "503",
      ])
    #expect(spans.map(\.status?.code) == [.error, .error])
    #expect(spans.map(\.operationName) == ["GET", "GET"])
    #expect(!"\(spans.map { ($0.events, attributes($0)) })".contains("canary"))
    end.cancel()
  }

  @Test("A retry is another child span of the call, marked as resent")
  func retry() {
    let shop = ObservedShop(
      ObservedShop.answer("https://shop.example/v1/orders/7", 503).thenRespondWith(
        request: .init(.get, urlString: "https://shop.example/v1/orders/7")))
    let end = shop.transport.traceCalls(with: tracer)
    shop.run(
      shop.api.get(endpoint: "orders/7").retry(RetryPolicy(scheduler: shop.scheduler)))
    let spans = tracer.finishedSpans
    #expect(spans.map(\.kind) == [.client, .client, .internal])
    #expect(spans.prefix(2).allSatisfy { $0.parentSpanID == spans[2].spanID })
    #expect(spans.map { attributes($0)["http.request.resend_count"] } == [nil, "1", "1"])
    #expect(spans.map(\.status?.code) == [.error, nil, nil])
    end.cancel()
  }

  @Test("A call that can send only one request has only its exchange's span")
  func single() {
    let shop = ObservedShop(ObservedShop.answer())
    let end = shop.transport.traceCalls(with: tracer)
    var api = shop.api
    api.redirects = .never
    shop.run(api.get(endpoint: "orders/7"))
    #expect(tracer.finishedSpans.map(\.kind) == [.client])
    end.cancel()
  }

  @Test("The parent is the span of the subscribing task, even on another thread")
  func task() {
    let shop = ObservedShop(ObservedShop.answer(), ObservedShop.answer())
    let end = shop.transport.traceCalls(with: tracer)
    let call = shop.api.get(endpoint: "orders/7")
    let checkout = tracer.startSpan("checkout")
    let subscribers = ServiceContext.withValue(checkout.context) {
      [
        shop.begin(call),
        shop.begin(
          Just(1).delay(for: .seconds(1), scheduler: shop.scheduler)
            .setFailureType(to: (any Error).self).flatMap { _ in call }.serviceContext()),
      ]
    }
    shop.scheduler.run()
    checkout.end()
    #expect(subscribers.map(\.isFinished) == [true, true])
    let spans = tracer.finishedSpans
    #expect(spans.count == 5)
    #expect(
      spans.filter { $0.kind == .internal }.compactMap(\.parentSpanID)
        == [checkout.spanID, checkout.spanID])
    #expect(Set(spans.map(\.traceID)).count == 1)
    end.cancel()
  }

  @Test("Both calls of the README's chain are children of the same span")
  func behind() {
    let shop = ObservedShop(
      ObservedShop.answer().thenRespondWith(
        request: .init(.get, urlString: "https://shop.example/v1/receipts/7")))
    let end = shop.transport.traceCalls(with: tracer)
    let checkout = tracer.startSpan("checkout")
    let subscriber = ServiceContext.withValue(checkout.context) {
      shop.begin(ReceiptCalls.receipt(of: 7, from: shop.api))
    }
    shop.scheduler.run()
    #expect(subscriber.values.count == 1)
    #expect(
      tracer.finishedSpans.filter { $0.kind == .internal }.map(\.parentSpanID)
        == [checkout.spanID, checkout.spanID])
    checkout.end()
    end.cancel()
  }

  @Test("A pipeline's given context replaces the task's as the parent of its calls")
  func given() {
    let shop = ObservedShop(ObservedShop.answer())
    let end = shop.transport.traceCalls(with: tracer)
    let (task, given) = (tracer.startSpan("task"), tracer.startSpan("given"))
    ServiceContext.withValue(task.context) {
      _ = shop.run(shop.api.get(endpoint: "orders/7").serviceContext(given.context))
    }
    #expect(tracer.finishedSpans.last?.parentSpanID == given.spanID)
    for span in [task, given] { span.end() }
    end.cancel()
  }

  @Test("A given context is also the parent of a call with a deadline")
  func givenWithDeadline() {
    let shop = ObservedShop(ObservedShop.answer())
    let end = shop.transport.traceCalls(with: tracer)
    let given = tracer.startSpan("given")
    _ = shop.run(
      shop.api.get(endpoint: "orders/7")
        .call(deadline: .after(.seconds(5), scheduler: shop.scheduler))
        .serviceContext(given.context))
    let call = tracer.finishedSpans.first { $0.kind == .internal }
    #expect(call?.parentSpanID == given.spanID)
    given.end()
    end.cancel()
  }

  @Test("A cancel ends both spans without a failure")
  func cancel() {
    let shop = ObservedShop(ObservedShop.answer())
    let end = shop.transport.traceCalls(with: tracer)
    shop.begin(shop.api.get(endpoint: "orders/7")).cancel()
    #expect(tracer.activeSpans.isEmpty)
    let spans = tracer.finishedSpans
    #expect(spans.map { attributes($0)["error.type"] } == ["cancelled", "cancelled"])
    #expect(spans.map(\.status?.code) == [nil, nil])
    end.cancel()
  }

  @Test("The span of a call without an exchange has the name of the method that it would have sent")
  func noExchange() {
    let shop = ObservedShop(ObservedShop.answer(headers: ["Cache-Control": "max-age=60"]))
    let end = shop.transport.traceCalls(with: tracer)
    let cached = shop.api.get(endpoint: "orders/7").cached(in: HTTPCache())
    shop.run(cached)
    tracer.clearFinishedSpans()
    shop.run(cached)
    #expect(tracer.finishedSpans.map(\.operationName) == ["GET"])
    #expect(tracer.finishedSpans.map(\.kind) == [.internal])
    let attributes = tracer.finishedSpans.map(attributes)
    #expect(attributes.map { $0["http.request.method"] } == ["GET"])
    #expect(attributes.map { $0["server.address"] } == ["shop.example"])
    end.cancel()
  }

  @Test("A method that the conventions do not know does not name a call without an exchange")
  func otherMethodWithoutExchange() {
    let shop = ObservedShop(ObservedShop.answer())
    let end = shop.transport.traceCalls(with: tracer)
    let limiter = RateLimiter(1, per: .seconds(60), maxWait: .zero, scheduler: shop.scheduler)
    let call = shop.api.get(endpoint: "orders/7") { request in
      var request = request
      if !shop.stubs.requests.isEmpty { request.httpMethod = "REPORT" }
      return request
    }
    .rateLimited(by: limiter)
    shop.run(call)
    tracer.clearFinishedSpans()
    shop.run(call)
    #expect(tracer.finishedSpans.map(\.operationName) == ["HTTP"])
    let attributes = tracer.finishedSpans.map(attributes)
    #expect(attributes.map { $0["http.request.method"] } == ["_OTHER"])
    #expect(attributes.map { $0["http.request.method_original"] } == ["REPORT"])
    end.cancel()
  }

  @Test("A method that the conventions do not know is not part of a span's name")
  func method() {
    let shop = ObservedShop(ObservedShop.answer(method: HTTPMethod("REPORT")))
    let end = shop.transport.traceCalls(with: tracer)
    shop.run(
      shop.api.get(endpoint: "orders/7") { request in
        var request = request
        request.httpMethod = "REPORT"
        return request
      })
    let span = tracer.finishedSpans.first
    #expect(span?.operationName == "HTTP")
    #expect(span.map { attributes($0)["http.request.method_original"] } == "REPORT")
    end.cancel()
  }
}
