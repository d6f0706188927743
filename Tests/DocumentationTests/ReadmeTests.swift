import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("README.md has the library's texts", .leakFree)
struct ReadmeTests {
  private func output(_ name: String) throws -> String {
    try Guide(at: "README.md").output(name)
  }

  @Test("The text of a RESTError is the library's")
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

  @Test("The report of an unmatched request is the library's")
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
}
