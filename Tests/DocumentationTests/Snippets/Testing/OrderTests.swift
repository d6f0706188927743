import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import Testing

/// The examples of Docs/Testing.md.
enum TestingGuide {
  struct ShopAPI: RESTAPI {
    let baseURL = "https://shop.example.com/v1"
    var transport: any Transport
  }

  nonisolated struct Order: Codable, Sendable, Equatable {
    let id: Int
    let sku: String
  }
}

extension TestingGuide.ShopAPI {
  func order(_ id: Int) -> AnyPublisher<TestingGuide.Order, any Error> {
    get(endpoint: "orders/\(id)").decode(type: TestingGuide.Order.self).eraseToAnyPublisher()
  }

  func place(_ order: TestingGuide.Order) -> AnyPublisher<TestingGuide.Order, any Error> {
    post(endpoint: "orders", body: .json(order))
      .decode(type: TestingGuide.Order.self).eraseToAnyPublisher()
  }
}

extension TestingGuide {
  // snippet: first
  @Suite(.stubs)
  struct OrderTests {
    @Test("An order is fetched by its number")
    func order() async throws {
      let stubs = StubTransport(
        StubAPIResponse(
          request: .init(.get, urlString: "https://shop.example.com/v1/orders/7"),
          result: .json(#"{"id": 7, "sku": "A-1"}"#)))

      let order = try await ShopAPI(transport: stubs).order(7).value

      #expect(order.sku == "A-1")
    }
  }
  // end
}
