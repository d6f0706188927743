import Foundation
import RESTKit
import Streams

// snippet: api
struct ShopAPI: RESTAPI {
  let baseURL: String
  var transport: any Transport = .shared
}

nonisolated struct Order: Decodable, Sendable {
  let id: Int
  let total: Double
}

extension ShopAPI {
  func orders(page: Int, token: @escaping @Sendable () -> String) -> AnyPublisher<
    [Order], any Error
  > {
    get(endpoint: "orders", query: [URLQueryItem(name: "page", value: "\(page)")]) {
      $0.addingBearerAuthorization(token: token()).acceptingJSON()
    }
    .retryOnceOnUnauthorizedResponse(
      chainedRequest: post(endpoint: "auth/refresh", body: nil).validateStatus()
    )
    .decode(type: [Order].self)
    .eraseToAnyPublisher()
  }
}
// end

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
