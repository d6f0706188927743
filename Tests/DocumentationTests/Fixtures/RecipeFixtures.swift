import RESTKit
import RESTKitTesting

extension Recipes {
  static let host = "https://shop.example.com"

  init(over transport: any Transport) {
    self.init(shop: ShopAPI(baseURL: Self.host, transport: transport))
  }

  /// A request that a recipe sends to the shop.
  static func request(_ method: HTTPMethod, _ path: String) -> StubRequest {
    StubRequest(method, urlString: "\(host)/\(path)")
  }
}
