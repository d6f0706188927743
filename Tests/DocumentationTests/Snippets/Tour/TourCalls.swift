import RESTKit
import Streams

// snippet: endpoint
struct OrderByID: Endpoint {
  typealias Response = Order
  let id: Int
  var path: ResourcePath { "orders/\(id)" }
}

extension ShopAPI {
  func order(_ id: Int) async throws -> Order {
    try await send(OrderByID(id: id))
  }
}
// end
