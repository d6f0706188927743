import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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

  @Test("The service prints its calls and the orders, as README.md shows")
  @MainActor
  func service() throws {
    let orders = StubRequest(.get, urlString: Self.orders)
    let stubs = StubTransport(
      StubAPIResponse(request: orders, statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://shop.example.com/v1/auth/refresh"),
          result: .json(#"{"result": {"accessToken": "fresh"}}"#)
        )
        .thenRespondWith(
          request: orders,
          result: .json(#"{"result": [{"id": 7, "total": 12.5}, {"id": 8, "total": 30}]}"#)))
    let lines = CurrentValueSubject<[String], Never>([])
    let service = OrdersService(transport: stubs) { line in lines.send(lines.value + [line]) }
    service.load()
    let block = try output("service")
    #expect(block == lines.value.joined(separator: "\n"))
    let bearers = stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") }
    #expect(bearers == ["Bearer expired", nil, "Bearer fresh"])
    try stubs.verify()
  }
}
