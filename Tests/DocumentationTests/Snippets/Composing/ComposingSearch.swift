import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

extension Composing.ShopAPI {
  typealias Order = Composing.Order

  // snippet: search
  func results(
    of typed: some Publisher<String, Never>, scheduler: any Scheduler
  ) -> AnyPublisher<[Order], Never> {
    typed
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .removeDuplicates()
      .map { text in
        get(endpoint: "orders", query: ["q": text])
          .decode(type: [Order].self)
          .replaceError(with: [])
      }
      .switchToLatest()
      .eraseToAnyPublisher()
  }
  // end
}

@Suite(.stubs)
struct SearchTests {
  typealias ShopAPI = Composing.ShopAPI
  typealias Order = Composing.Order

  // snippet: test
  @Test("A search waits until typing pauses, and an older response never overtakes a newer one")
  func search() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, path: "/orders").query(["q": "tea"]),
        result: .json(#"[{"id": 1, "customer": 7}]"#), delay: .seconds(1)),
      StubAPIResponse(
        request: StubRequest(.get, path: "/orders").query(["q": "teapot"]),
        result: .json(#"[{"id": 2, "customer": 7}]"#)),
      scheduler: scheduler)
    let shop = ShopAPI(baseURL: "https://shop.example.com", transport: stubs)
    let typed = PassthroughSubject<String, Never>()
    let results = TestSubscriber<[Order], Never>()
    shop.results(of: typed, scheduler: scheduler).subscribe(results)

    typed.send("te")
    scheduler.advance(by: .milliseconds(100))
    typed.send("tea")
    scheduler.advance(by: .milliseconds(300))
    typed.send("teapot")
    scheduler.advance(by: .seconds(2))

    #expect(results.values == [[Order(id: 2, customer: 7)]])
    #expect(stubs.journal.map(\.outcome) == [.cancelled, .answered(200)])
  }
  // end
}
