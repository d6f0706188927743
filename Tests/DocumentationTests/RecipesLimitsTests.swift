import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("The recipes of Docs/Recipes.md for pages, limits and compression", .leakFree)
struct RecipesLimitsTests {
  @Test("The link to the next page is followed")
  func pages() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "orders"), headers: ["Link": "<?page=2>; rel=\"next\""],
        result: .json(#"[{"id": 1, "sku": "A"}]"#)),
      StubAPIResponse(
        request: Recipes.request(.get, "orders?page=2"),
        result: .json(#"[{"id": 2, "sku": "B"}]"#)))
    let orders = try await Recipes(over: stubs).allOrders().value
    #expect(orders.map(\.id) == [1, 2])
  }

  @Test("A search below the limit does not wait")
  func limit() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Recipes.request(.get, "search?q=tea")))
    #expect(try await Recipes(over: stubs).search("tea").value.isSuccess)
  }

  @Test("A long body is compressed")
  func compression() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.post, "entries").header("Content-Encoding", "gzip")))
    let api = Recipes.LogAPI(baseURL: Recipes(over: stubs).shop.baseURL, transport: stubs)
    let text = Data(String(repeating: "a line of a log\n", count: 100).utf8)
    _ = try await api.post(endpoint: "entries", body: .data(text)).value
  }
}
