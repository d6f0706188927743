// What the examples of Docs/InAnAppOfToday.md stand in.
import Foundation
import RESTKit
import Streams

enum InAnAppOfToday {
  // snippet: types
  struct ShopAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
    var retry: RetryPolicy? = RetryPolicy()
  }

  struct OrderByID: Endpoint {
    typealias Response = Order
    let id: Int
    var path: ResourcePath { "orders/\(id)" }
  }

  nonisolated struct Order: Decodable, Sendable, Equatable {
    let id: Int
    let sku: String
  }
  // end

  // snippet: protocols
  /// Everything that this app asks of the shop.
  nonisolated protocol ShopRequest: Endpoint {}

  struct Catalog: ShopRequest {
    typealias Response = [String]
    var path: ResourcePath { "catalog" }
  }
  // end
}

// snippet: extensions
nonisolated extension Publisher where Output == [InAnAppOfToday.Order] {
  func skus() -> Publishers.Map<Self, [String]> {
    map { orders in orders.map(\.sku) }
  }
}
// end
