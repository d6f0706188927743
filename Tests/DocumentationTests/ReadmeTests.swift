import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("README.md has the texts that the library gives", .leakFree)
struct ReadmeTests {
  private func output(_ name: String) throws -> String {
    try Guide(at: "README.md").output(name)
  }

  @Test("The text of a RESTError is the one the library gives")
  func errorText() async throws {
    let block = try output("error")
    let api = ShopAPI(
      baseURL: "https://shop.example.com/v1",
      transport: StubTransport(
        StubAPIResponse(
          request: .init(.get, urlString: "https://shop.example.com/v1/orders"),
          result: .json(#"[{"id": 7, "total": "12.50"}]"#))))
    let error = await #expect(throws: RESTError.self) {
      try await api.get(endpoint: "orders").decode(type: [Order].self).value
    }
    #expect(block.replacing("\n", with: " ") == error?.description)
  }

  private static let orders = "https://shop.example.com/v1/orders"

  private static func placing(_ json: String) -> StubAPIResponse {
    StubAPIResponse(
      request: StubRequest(.post, urlString: orders).jsonBody(containing: json), statusCode: 201,
      fileID: "ShopTests/OrderTests.swift", line: 15)
  }

  @Test("The report of an unmatched request is the one the library gives")
  func unmatched() async throws {
    let api = ShopAPI(
      baseURL: "https://shop.example.com/v1",
      transport: StubTransport(
        StubAPIResponse(
          request: .init(.get, urlString: Self.orders), fileID: "ShopTests/OrderTests.swift",
          line: 12
        )
        .thenRespondWith(
          request: .init(.post, urlString: Self.orders), statusCode: 201,
          fileID: "ShopTests/OrderTests.swift", line: 15)))
    let error = await #expect(throws: StubError.self) {
      try await api.get(endpoint: "order").value
    }
    #expect(try output("unmatched") == error?.description)
  }

  @Test("The report of another body is the one the library gives")
  func otherBody() async throws {
    let stubs = StubTransport(Self.placing(#"{"lines": [{"sku": "A-1", "quantity": 2}]}"#))
    let api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: stubs)
    let body = Data(#"{"id": 7, "lines": [{"quantity": 3, "sku": "A-1"}]}"#.utf8)
    let error = await #expect(throws: StubError.self) {
      try await api.post(endpoint: "orders", body: .data(body)).value
    }
    #expect(try output("body") == error?.description)
  }

  @Test("The report of an unused stub is the one the library gives")
  func unused() throws {
    let stubs = StubTransport(Self.placing("{}"))
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(try output("unused") == error?.description)
  }
}
