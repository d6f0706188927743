import Dispatch
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

  @Test("Sequences, optionals and results have spellings of their own beside Combine")
  func besideCombine() async throws {
    let before: Duration = DispatchQueue.main.now
    let (values, now) = InAnAppOfToday.besideCombine(3, .success(4))
    #expect(try await values.allValues == [10, 20, 3, 4])
    #expect(now >= before)
    let (failing, _) = InAnAppOfToday.besideCombine(nil, .failure(CancellationError()))
    await #expect(throws: CancellationError.self) { try await failing.allValues }
  }
}
