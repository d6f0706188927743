import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("The examples of Docs/Coalescing.md")
struct CoalescingTests {
  private struct PlainAPI: RESTAPI {
    let baseURL = "https://shop.example/v1"
    let transport: any Transport
  }

  private let scheduler = TestScheduler()

  private var transport: StubTransport {
    StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://shop.example/v1/orders"),
        result: .json(#"[{"id": 7}]"#), delay: .seconds(1)),
      scheduler: scheduler)
  }

  @Test("Calls of an API with a coalescer share one request")
  func api() {
    let transport = transport
    let api = Coalescing.ShopAPI(transport: transport)
    let callers = ["1", "2"].map { trace in
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: "orders") { $0.settingHeader("traceparent", to: trace) }
        .receive(subscriber: subscriber)
      return subscriber
    }
    scheduler.run()
    #expect(transport.requests.count == 1)
    #expect(callers.allSatisfy { $0.values.count == 1 && $0.isFinished })
  }

  @Test("Calls with a given coalescer share one request")
  func pipeline() {
    let transport = transport
    let orders = Coalescing.Orders(api: PlainAPI(transport: transport))
    let callers = (1...2).map { _ in
      let subscriber = TestSubscriber<[Coalescing.Order], any Error>()
      orders.latest().receive(subscriber: subscriber)
      return subscriber
    }
    scheduler.run()
    #expect(transport.requests.count == 1)
    #expect(callers.map { $0.values.first?.first?.id } == [7, 7])
  }
}
