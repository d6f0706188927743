// Requests and responses of Docs/FromAlamofire.md.
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum FromAlamofire {
  nonisolated struct Order: Codable, Sendable, Equatable {
    var id: Int
    var total: Double
  }

  nonisolated struct NewOrder: Encodable, Sendable {
    var sku: String
    var count: Int
  }

  // snippet: api
  struct ShopAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
    var retry: RetryPolicy? = RetryPolicy()
    var session: TokenSession?
  }
  // end

  static func orders(of api: ShopAPI) async throws -> [Order] {
    // snippet: get
    let orders =
      try await api
      .get(endpoint: "orders", query: ["page": "2"])
      .decode(type: [Order].self)
      .value
    // end
    return orders
  }

  // snippet: endpoints
  struct PlaceOrder: Endpoint {
    typealias Response = Order
    let order: NewOrder
    var method: HTTPMethod { .post }
    var path: ResourcePath { "orders" }
    var body: RequestBody? { .json(order) }
  }

  enum OrderRequest: Endpoint {
    typealias Response = Order
    case read(id: Int)
    case cancel(id: Int, reason: String)

    var path: ResourcePath {
      switch self {
      case .read(let id): "orders/\(id)"
      case .cancel(let id, _): "orders/\(id)/cancellation"
      }
    }

    var method: HTTPMethod {
      switch self {
      case .read: .get
      case .cancel: .put
      }
    }

    var query: QueryItems {
      switch self {
      case .read: []
      case .cancel(_, let reason): ["reason": reason]
      }
    }
  }
  // end

  static func place(_ api: ShopAPI) async throws -> Order {
    // snippet: post
    let placed = try await api.send(PlaceOrder(order: NewOrder(sku: "A-1", count: 2)))
    // end
    return placed
  }

  static func subscribe(_ api: ShopAPI) -> AnyPublisher<RESTResponse, any Error> {
    // snippet: form
    api.post(
      endpoint: "newsletter",
      body: .form(["mail": "ada@example.com", "topic": "tea & coffee"])
    )
    .validateStatus()
    // end
    .eraseToAnyPublisher()
  }

  @MainActor final class OrderModel {
    private(set) var text = ""
    let api: ShopAPI
    private var call: AnyCancellable?

    init(api: ShopAPI) { self.api = api }

    // snippet: callback
    func load(id: Int) {
      call = api.send(OrderRequest.read(id: id)) { [weak self] result in
        self?.show(result)
      }
    }

    func stop() {
      call?.cancel()
    }
    // end

    private func show(_ result: Result<Order, any Error>) {
      switch result {
      case .success(let order): text = "\(order.total)"
      case .failure(let error): text = "\(error)"
      }
    }
  }

  // snippet: headers
  /// Everything that this app asks of the shop.
  nonisolated protocol ShopRequest: Endpoint {}

  struct Catalog: ShopRequest {
    typealias Response = [String]
    var path: ResourcePath { "catalog" }
  }
  // end
}

// snippet: headers-default
nonisolated extension FromAlamofire.ShopRequest {
  var headers: HTTPHeaders { ["Accept-Language": "de", "X-App-Version": "2.1"] }
}
// end
