import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import Testing

@Suite("The types of Docs/InAnAppOfToday.md work off the main actor", .leakFree, .stubs)
struct InAnAppOfTodayTests {
  private typealias Order = InAnAppOfToday.Order

  private func request(_ path: String) -> StubRequest {
    StubRequest(.get, urlString: "https://shop.example.com/\(path)")
  }

  @Test("A response is decoded off the main actor, by endpoints and by a pipeline")
  func decoding() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: request("orders/7"), result: .json(#"{"id": 7, "sku": "A-1"}"#)),
      StubAPIResponse(request: request("catalog"), result: .json(#"["A-1"]"#)),
      StubAPIResponse(request: request("orders"), result: .json(#"[{"id": 7, "sku": "A-1"}]"#)))
    let shop = InAnAppOfToday.ShopAPI(baseURL: "https://shop.example.com", transport: stubs)
    #expect(try await shop.send(InAnAppOfToday.OrderByID(id: 7)) == Order(id: 7, sku: "A-1"))
    #expect(try await shop.send(InAnAppOfToday.Catalog()) == ["A-1"])
    let skus = shop.get(endpoint: "orders").decode(type: [Order].self).skus()
    #expect(try await skus.subscribe(on: .continuous).value == ["A-1"])
  }
}
